import type { Queryable } from '../platform/database/database.ts';
import { serverVersion } from '../platform/database/server-version.ts';
import { StartError } from '../platform/start-error.ts';

const versionMin = 150_000;

/** By the code of the system or of PostgreSQL. */
const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there. Check the address and that the server runs',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its host name cannot be looked up at the moment',
  EACCES: 'this user may not use its socket',
  ENOENT: 'its socket does not exist. Check the path and that the server runs',
  '28P01': 'it refuses the user or the password',
  '28000': 'it refuses the user',
  '3D000': 'there is no database of that name on the server',
  '53300': 'all its connections are taken',
};

/** Throws a StartError when the database of the settings does not answer or is too old. Never tells a password. */
export async function refuseUnusableDatabase(db: Queryable, databaseUrl: string): Promise<void> {
  const { host, pathname } = new URL(databaseUrl);
  const place = `The database of LONGHAND_DATABASE_URL (${host}${pathname})`;
  const version = await serverVersion(db).catch((cause: Error & { code?: string }) => {
    const reason = reasons[cause.code ?? ''] ?? (cause.message || cause.code);
    throw new StartError(`${place} cannot be used: ${reason}.`, { cause });
  });
  if (version.number < versionMin)
    throw new StartError(`${place} is PostgreSQL ${version.text}, which is too old: use 15 or newer.`);
}
