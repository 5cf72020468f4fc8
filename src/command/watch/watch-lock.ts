/** One watcher for a folder: a file beside the journal that names the process and is touched while it lives. */
import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import type { Clock } from '../../platform/clock.ts';
import { CommandFailure } from '../command-failure.ts';

const touchEveryMs = 10_000;
/** A process id may belong to somebody else after a restart of the machine; nobody touches the file then. */
const abandonedMs = 40_000;

export async function lockFolder(journal: string, clock: Clock): Promise<() => Promise<void>> {
  const path = `${journal}.lock`;
  for (let attempt = 0; ; attempt++) {
    const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined;
      throw error;
    });
    if (file) {
      await file.writeFile(String(process.pid));
      await file.close();
      break;
    }
    const holder = await holderOf(path, clock);
    if (holder !== undefined || attempt > 2)
      throw new CommandFailure(
        `This folder is watched already, by the process ${holder ?? 'that was faster'}.`,
      );
    await rm(path, { force: true });
  }
  const stopTouching = clock.every(touchEveryMs, () => {
    const now = clock.date();
    utimes(path, now, now).catch(() => {});
  });
  return async () => {
    stopTouching();
    await rm(path, { force: true });
  };
}

/** The process that holds it; undefined when it is gone. */
async function holderOf(path: string, clock: Clock): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found || clock.now() - found.mtimeMs > abandonedMs) return undefined;
  const pid = Number(await readFile(path, 'utf8').catch(() => ''));
  return pid > 0 && isAlive(pid) ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
