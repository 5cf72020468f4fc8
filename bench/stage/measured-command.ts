/** A command with what it took: time on the wall, time on the processor, and memory at its peak. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

export interface Measured {
  output: string;
  wallSeconds: number;
  /** Of the command and of everything that it started and waited for. */
  cpuSeconds: number;
  /** The most at any one moment, over the command and its speech processes (not the database, not ffmpeg). */
  memoryBytesMax: number;
  /** The most that any one of its speech processes had. */
  speechProcessBytesMax: number;
}

export async function measured(command: string[], env: NodeJS.ProcessEnv): Promise<Measured> {
  const child = spawn('bash', ['-c', 'TIMEFORMAT="time: %R %U %S"; time "$@"', 'bash', ...command], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [memoryBytesMax, speechProcessBytesMax] = [0, 0];
  const watch = setInterval(() => {
    const now = nodeMemory(child.pid ?? 0);
    memoryBytesMax = Math.max(memoryBytesMax, now.bytes);
    speechProcessBytesMax = Math.max(speechProcessBytesMax, now.speechProcessBytesMax);
  }, 500);
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  clearInterval(watch);
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${errors.slice(-2000)}`);
  const [wall = 0, user = 0, system = 0] = (/time: ([\d. ]+)/.exec(errors)?.[1] ?? '').split(' ').map(Number);
  return { output, wallSeconds: wall, cpuSeconds: user + system, memoryBytesMax, speechProcessBytesMax };
}

/**
 * Over all Node processes below `root`: resident memory that is the process's own now; and of speech processes the most
 * that was resident at any time.
 */
function nodeMemory(root: number): { bytes: number; speechProcessBytesMax: number } {
  const parents = new Map<number, number>();
  const names = new Map<number, string>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const after = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      parents.set(Number(name), Number(after[1]));
      names.set(Number(name), stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')));
    } catch {
      // It ended meanwhile.
    }
  }
  let [bytes, speechProcessBytesMax] = [0, 0];
  for (const [pid, name] of names) {
    if (!/node|MainThread/.test(name) || !isBelow(pid, root, parents)) continue;
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      bytes += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('speech-process-main')) continue;
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
      speechProcessBytesMax = Math.max(speechProcessBytesMax, peak);
    } catch {
      // It ended meanwhile.
    }
  }
  return { bytes, speechProcessBytesMax };
}

function isBelow(pid: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid; at; at = parents.get(at)) if (at === root) return true;
  return false;
}
