/** A real file system of a few mebibytes, mounted in a namespace of its own, so that no other process sees it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Hooks, onCleanup } from './cleanup.ts';

/** Flags of unshare for a process whose mounts no other process sees. Root may always; others where the system lets users make namespaces. */
export const mountNamespace =
  process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount'];

const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', [...mountNamespace, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;

export const skipWithoutMounts = canMount ? false : 'no right to mount file systems here';

export interface SmallDisk {
  /** As the processes outside of its namespace see it. */
  directory: string;
  /** As those inside do. */
  mountPoint: string;
  /** Starts a program that sees it, also after another one that did has ended. */
  enter: readonly string[];
  makeReadOnly(): Promise<void>;
}

export async function mountSmallDisk(hooks: Hooks, mebibytes: number): Promise<SmallDisk> {
  const mountPoint = await mkdtemp(join(tmpdir(), 'longhand-disk-'));
  const script = `mount -t tmpfs -o size=${mebibytes}m tmpfs "$0" && echo done && read -r go
    mount -o remount,ro "$0" && echo done && read -r go`;
  const holder = spawn('unshare', [...mountNamespace, 'sh', '-c', script, mountPoint], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: holder.stdout })[Symbol.asyncIterator]();
  const done = async () => {
    const { value } = await lines.next();
    if (value !== 'done') throw new Error('the small disk could not be mounted');
  };
  onCleanup(hooks, async () => {
    const ended = once(holder, 'exit');
    holder.kill('SIGKILL');
    await ended;
    await rm(mountPoint, { recursive: true });
  });
  await done();
  const asRoot = mountNamespace.includes('--user') ? ['--user', '--preserve-credentials'] : [];
  return {
    directory: join('/proc', String(holder.pid), 'root', mountPoint),
    mountPoint,
    enter: ['nsenter', `--target=${holder.pid}`, ...asRoot, '--mount', '--'],
    async makeReadOnly() {
      holder.stdin.write('\n');
      await done();
    },
  };
}

/** Starts a program that sees a small file system of its own at that directory, for `startService`. */
export function onSmallDisk(directory: string, mebibytes: number): string[] {
  const script = `mount -t tmpfs -o size=${mebibytes}m tmpfs "$0" && exec "$@"`;
  return ['unshare', ...mountNamespace, 'sh', '-c', script, directory];
}
