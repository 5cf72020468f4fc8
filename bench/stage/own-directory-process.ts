/** Waits until its standard input ends; then ends the processes that have this directory in their command line or environment, and removes it. */
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const [directory] = process.argv.slice(2);
// Every process has an empty text in its command line.
if (!directory) throw new Error('the directory is missing');
/** By the first PostgreSQL gives its shared memory back. */
const signals = ['SIGQUIT', 'SIGKILL', 'SIGKILL', 'SIGKILL'] as const;
const pauseMs = 1_000;

process.stdin.resume();
await once(process.stdin, 'close');
for (const signal of signals) {
  const left = processesOf(directory);
  if (left.length === 0) break;
  for (const pid of left) tryKill(pid, signal);
  await delay(pauseMs);
}
await rm(directory, { recursive: true, force: true, maxRetries: 5 });

function processesOf(path: string): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
    .filter((pid) => ['cmdline', 'environ'].some((file) => textOf(pid, file).includes(path)))
    .map(Number);
}

function textOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // It has just ended.
  }
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}
