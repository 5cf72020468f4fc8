import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Sandbox } from './sandbox.ts';
import { runProcess } from './subprocess.ts';

/** Why programs cannot be confined on this machine. */
export interface NoSandbox {
  missing: 'bubblewrap' | 'namespaces';
  /** What bubblewrap, or whoever was asked to start it, said. */
  reason: string;
}

export interface SandboxSearch {
  /** The program to try; bwrap of the path unless given. */
  command?: string;
  /** Folders that no program may see. */
  hidden: readonly string[];
  signal: AbortSignal;
}

const outputBytesMax = 65_536;
/** Versions before 0.8 do not know it; inside one of those a program could make further namespaces. */
const extraFlags = ['--disable-userns'];

/** Tries bubblewrap: it may be missing, and some systems and containers forbid the namespaces it makes. */
export async function findSandbox(search: SandboxSearch): Promise<Sandbox | NoSandbox> {
  const { command = 'bwrap', signal } = search;
  if (process.platform !== 'linux') return { missing: 'namespaces', reason: 'this is not Linux' };
  const said = await runProcess({ command, args: ['--version'], signal, outputBytesMax }).catch(
    () => undefined,
  );
  if (said?.code !== 0) return { missing: 'bubblewrap', reason: `${command} was not found` };
  const version = said.stdout
    .toString('utf8')
    .replace(/^bubblewrap/, '')
    .trim();
  const hidden = await Promise.all(
    search.hidden.map((folder) => realpath(folder).catch(() => resolve(folder))),
  );
  let reason = '';
  for (const flags of [extraFlags, []]) {
    const sandbox: Sandbox = { command, version, extraFlags: flags, hidden };
    const confinement = { sandbox };
    const trial = await runProcess({ command: 'true', args: [], confinement, signal, outputBytesMax }).catch(
      (error: unknown) => ({ code: null, stderr: String(error) }),
    );
    if (trial.code === 0) return sandbox;
    reason ||= trial.stderr.trim() || `exit ${trial.code}`;
  }
  return { missing: 'namespaces', reason };
}
