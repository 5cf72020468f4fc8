/** The protocol's conformance suite, as its authors publish it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Hooks } from './cleanup.ts';
import { temporaryDataDir } from './service.ts';

const suite = join(
  import.meta.dirname,
  '..',
  '..',
  'node_modules',
  '@modelcontextprotocol',
  'conformance',
  'dist',
  'index.js',
);

export interface SuiteResult {
  code: number | null;
  output: string;
}

export async function runConformance(hooks: Hooks, args: readonly string[]): Promise<SuiteResult> {
  const child = spawn(process.execPath, [suite, 'server', ...args], {
    cwd: await temporaryDataDir(hooks),
    env: { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 240_000,
    killSignal: 'SIGKILL',
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, output: `${out}\n${err}` };
}
