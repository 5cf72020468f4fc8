/** The processes that a process has started, as Linux lists them. */
import { readdirSync, readFileSync } from 'node:fs';

/** `named`: a part of the command line. */
export function childProcesses(parent: number, named = ''): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === parent && commandOf(pid).includes(named))
    .map(Number);
}

/** How much of the processor it has had, in hundredths of a second. */
export function processorTicks(pid: number): number {
  const fields = statOf(String(pid));
  return Number(fields[11]) + Number(fields[12]);
}

function parentOf(pid: string): number {
  return Number(statOf(pid)[1]);
}

/** What comes after the name in brackets: the state, the parent, … */
function statOf(pid: string): string[] {
  return fileOf(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
}

function commandOf(pid: string): string {
  return fileOf(pid, 'cmdline').replaceAll('\0', ' ');
}

function fileOf(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // It has just ended.
  }
}
