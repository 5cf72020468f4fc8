/** What processes have used of the processors, as Linux counts it: on a busy machine it says more than the clock. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { childProcesses } from '../../test/support/child-processes.ts';

const tickMs = 10;

export function processorMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid), 0) * tickMs;
}

/** The server of a data directory and the processes of its connections. */
export function postgresProcesses(dataDir: string): number[] {
  const pid = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
  return [pid, ...childProcesses(pid)];
}

function ticksOf(pid: number): number {
  try {
    // After the name in brackets; the 14th and 15th of all are the time in the process and in the kernel.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0; // It has just ended.
  }
}
