/** The server and key that `longhand login` saved: one file, which only its owner can read. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandFailure } from '../command-failure.ts';

const schema = z.object({ url: z.string(), key: z.string() });
type SavedLogin = z.infer<typeof schema>;

export function loginFile(configDir: string): string {
  return join(configDir, 'login.json');
}

export async function readLogin(configDir: string): Promise<SavedLogin | undefined> {
  const path = loginFile(configDir);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new CommandFailure(`The saved login "${path}" cannot be read: ${error.message}.`, { cause: error });
  });
  if (text === undefined) return undefined;
  const saved = schema.safeParse(parsed(text));
  if (!saved.success)
    throw new CommandFailure(
      `The saved login "${path}" cannot be used: run "longhand login" or "longhand logout".`,
    );
  return saved.data;
}

/** Whole or not at all, and never readable by others, not even for a moment. */
export async function saveLogin(configDir: string, { url, key }: SavedLogin): Promise<void> {
  const path = loginFile(configDir);
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await mkdir(configDir, { recursive: true, mode: 0o700 });
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ url, key })}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw new CommandFailure(`The login could not be saved: ${(error as Error).message}.`, { cause: error });
  }
}

export async function forgetLogin(configDir: string): Promise<void> {
  await rm(loginFile(configDir), { force: true });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
