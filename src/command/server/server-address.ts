/** Which server a command works on, if any: as it was typed, else by the environment, else by the saved login. */
import type { ClientSettings } from '../../config.ts';
import { UsageError } from '../usage-error.ts';
import { readLogin } from './saved-login.ts';

export interface ServerAddress {
  /** Without a path and without a stroke at its end, unless the service is below a path. */
  url: string;
  key: string;
}

/** Options of every command that can work on a server. */
export interface ServerOptions {
  server?: string;
  key?: string;
  local?: boolean;
}

/** Undefined: the command works on this machine. */
export async function serverAddress(
  { server, key, local }: ServerOptions,
  settings: ClientSettings,
): Promise<ServerAddress | undefined> {
  if (local) {
    if (server !== undefined || key !== undefined)
      throw new UsageError('--local works on this machine: leave out --server and --key.');
    return undefined;
  }
  const saved = await readLogin(settings.configDir);
  const named = server ?? settings.server;
  if (named === undefined) {
    if (saved) return { url: saved.url, key: key ?? saved.key };
    if (key !== undefined) throw new UsageError('--key needs --server, or a saved "longhand login".');
    return undefined;
  }
  const url = serverUrl(named);
  // A saved key goes to the server for which it was saved, and to no other.
  const known = key ?? settings.key ?? (saved?.url === url ? saved.key : undefined);
  if (known === undefined)
    throw new UsageError(`There is no key for ${url}: give --key, set LONGHAND_KEY or use "longhand login".`);
  return { url, key: known };
}

/** As it is saved, compared and shown. */
export function serverUrl(text: string): string {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`The server must be an http or https URL such as http://127.0.0.1:8080.`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError('The URL of the server must have no credentials, query or fragment.');
  return url.origin + url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
}
