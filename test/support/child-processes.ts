/** The processes that a process has started, as Linux lists them. */
import { readdirSync, readFileSync } from 'node:fs';

/** `named`: a part of the command line. */
export function childProcesses(parent: number, named = ''): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === parent && commandOf(pid).includes(named))
    .map(Number);
}

function parentOf(pid: string): number | undefined {
  // After the name in brackets: the state, then the parent.
  return Number(fileOf(pid, 'stat').split(') ').at(-1)?.split(' ')[1]);
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
