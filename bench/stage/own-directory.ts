/** A directory for everything that a benchmark makes. However the benchmark ends, what is left of it is ended and removed. */
import { spawn } from 'node:child_process';
import { chmod, mkdtemp } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** From now on the directory of temporary files, also for processes that are started. */
export async function useOwnDirectory(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'lh-bench-'));
  await chmod(directory, 0o711); // A root's PostgreSQL runs as another user.
  // Detached: what ends us by a signal to our group does not end it. Its standard input ends when we do.
  const watcher = spawn(
    process.execPath,
    [join(import.meta.dirname, 'own-directory-process.ts'), directory],
    { stdio: ['pipe', 'ignore', 'inherit'], detached: true },
  );
  watcher.unref();
  watcher.stdin.on('error', () => {});
  (watcher.stdin as Socket).unref();
  process.env.TMPDIR = directory;
}
