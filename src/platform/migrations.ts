import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Queryable } from './database.ts';
import { StartError } from './start-error.ts';
import type { Logger } from './telemetry.ts';

interface Migration {
  name: string;
  sha256: string;
  sql: string;
}

const migrationLock = 7_005_003;
const migrationTimeout = '10min';

/**
 * Brings the database to the state of the SQL files in `directory`, in the order of their names, each in its own
 * transaction. Any number of processes may do so at once; the lock lives in the transaction, so it also holds behind
 * a connection pooler.
 */
export async function migrate(
  db: Pick<Database, 'transaction'>,
  directory: string,
  logger: Logger,
): Promise<void> {
  const migrations = await readMigrations(directory);
  let isNew = false;
  for (;;) {
    const applied = await db.transaction((tx) => applyNext(tx, migrations));
    if (applied === undefined) return;
    isNew ||= applied.isFirst;
    // That an existing database was changed is news; that a new one was filled is not.
    logger[isNew ? 'debug' : 'info']({ migration: applied.name }, 'migrated the database');
  }
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8');
      return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** The migration that was run, or nothing when the database is up to date. */
async function applyNext(
  tx: Queryable,
  migrations: readonly Migration[],
): Promise<{ name: string; isFirst: boolean } | undefined> {
  await tx.query(`set local statement_timeout = '${migrationTimeout}'`);
  await tx.query('select pg_advisory_xact_lock($1)', [migrationLock]);
  const applied = await appliedMigrations(tx);
  refuseUnknown(applied, migrations);
  const next = migrations.find(({ name }) => !applied.has(name));
  if (!next) return undefined;
  try {
    await tx.query(next.sql);
  } catch (cause) {
    throw new Error(`the migration ${next.name} failed: ${(cause as Error).message}`, { cause });
  }
  await tx.query('insert into schema_migration (name, sha256) values ($1, $2)', [next.name, next.sha256]);
  return { name: next.name, isFirst: applied.size === 0 };
}

/** SHA-256 by name. */
async function appliedMigrations(tx: Queryable): Promise<Map<string, string>> {
  // Not "create table if not exists": that would need the right to create even when there is nothing to do.
  const [found] = await tx.query<{ present: boolean }>(
    "select to_regclass('schema_migration') is not null as present",
  );
  if (!found?.present) {
    await tx.query(`
      create table schema_migration (
        name text primary key,
        sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
        applied_at timestamptz not null default clock_timestamp()
      )`);
    return new Map();
  }
  const rows = await tx.query<{ name: string; sha256: string }>('select name, sha256 from schema_migration');
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]));
}

function refuseUnknown(applied: ReadonlyMap<string, string>, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map(({ name, sha256 }) => [name, sha256]));
  for (const [name, sha256] of applied) {
    const ours = known.get(name);
    if (ours === undefined) {
      throw new StartError(
        `The database is newer than this Longhand, which does not know its migration ${name}: update Longhand, or use another database.`,
      );
    }
    if (ours !== sha256) {
      throw new StartError(
        `The migration ${name} was changed after it had been applied to this database: restore the file, and put the change into a new migration.`,
      );
    }
  }
}
