/** `longhand …` as a process that a test can feed, watch and interrupt. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type CommandResult, compileCache, type Environment } from './service.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const commandWithinMs = 120_000;

export interface StartedCommand {
  child: ChildProcess;
  result: Promise<CommandResult>;
}

export function startCommand(
  environment: Environment,
  args: readonly string[],
  { inputFile }: { inputFile?: string } = {},
): StartedCommand {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...compileCache, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: commandWithinMs,
    killSignal: 'SIGKILL',
  });
  child.stdin.on('error', () => {}); // A command that ends early leaves the rest of its input unread.
  if (inputFile === undefined) child.stdin.end();
  else createReadStream(inputFile).pipe(child.stdin);
  return { child, result: resultOf(child) };
}

/**
 * What a person sees: standard error is a terminal of 120 columns. Its output comes as it was drawn. They type
 * `answer.text` when they see `answer.to`.
 */
export async function onTerminal(
  environment: Environment,
  args: readonly string[],
  { answer }: { answer?: { to: string; text: string } } = {},
): Promise<string> {
  const words = [process.execPath, main, ...args].map((word) => `'${word}'`).join(' ');
  const command = `stty columns 120; ${words} > /dev/null`;
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    env: { ...compileCache, ...environment },
    stdio: [answer ? 'pipe' : 'ignore', 'pipe', 'inherit'],
    timeout: commandWithinMs,
    killSignal: 'SIGKILL',
  });
  let drawn = '';
  for await (const part of child.stdout ?? []) {
    const isAsked = answer && !drawn.includes(answer.to) && `${drawn}${part}`.includes(answer.to);
    drawn += part;
    if (isAsked) child.stdin?.end(answer.text);
  }
  return drawn;
}

async function resultOf(child: ChildProcess): Promise<CommandResult> {
  if (!child.stdout || !child.stderr) throw new Error('the command has no pipes');
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}
