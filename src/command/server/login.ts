/** `longhand login` and `logout`: the server that commands work on when none is named. */

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { commandContext, print } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { UsageError } from '../usage-error.ts';
import { forgetLogin, loginFile, readLogin, saveLogin } from './saved-login.ts';
import { serverUrl } from './server-address.ts';
import { verifiedClient } from './server-client.ts';

interface Output {
  json?: boolean;
}

const keyCharactersMax = 1_000;

export async function login(server: string, options: Output & { key?: string }): Promise<void> {
  const { config } = commandContext();
  const url = serverUrl(server);
  const key = (options.key ?? (await keyFromInput(url))).trim();
  if (key === '') throw new UsageError('No key was given; "longhand key create" on the server makes one.');
  await verifiedClient({ url, key });
  await saveLogin(config.client.configDir, { url, key });
  if (isInTheClear(url))
    process.stderr.write(
      `longhand: ${url} is not encrypted: the key and the recordings can be read on the way.\n`,
    );
  print({ server: url, file: loginFile(config.client.configDir) }, options, () => [
    `Logged in to ${url}. "longhand transcribe" and "longhand watch" work there from now on; --local uses this machine.`,
  ]);
}

export async function logout(options: Output): Promise<void> {
  const { configDir } = commandContext().config.client;
  // A file that cannot be read is no reason to keep it.
  const saved = await readLogin(configDir).catch(() => undefined);
  await forgetLogin(configDir);
  print({ server: saved?.url ?? null }, options, () => [
    saved
      ? `The login to ${saved.url} is forgotten. The key still works there: "longhand key revoke" ends it.`
      : 'There is no saved login.',
  ]);
}

/** From a terminal without showing it; from a pipe as its first line. */
async function keyFromInput(url: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return firstLine();
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: silent, terminal: true });
  // Only now: until the interface has taken the terminal over, it shows what is typed.
  stderr.write(`API key for ${url}: `);
  const interrupted = new AbortController();
  terminal.on('SIGINT', () => interrupted.abort());
  terminal.on('close', () => interrupted.abort());
  try {
    return await terminal.question('', { signal: interrupted.signal });
  } catch (error) {
    throw new CommandFailure('Interrupted; nothing was saved.', { exitCode: 130, cause: error });
  } finally {
    stderr.write('\n');
    terminal.close();
  }
}

async function firstLine(): Promise<string> {
  let text = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    text += part;
    if (text.includes('\n') || text.length > keyCharactersMax) break;
  }
  return text.split('\n')[0] ?? '';
}

function isInTheClear(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\.|\[::1\]$)/.test(hostname);
}
