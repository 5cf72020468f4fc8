import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../start-error.ts';
import type { Logger } from '../telemetry/telemetry.ts';
import type { Database, Queryable } from './database.ts';

interface Migration {
  name: string;
  sha256: string;
  sql: string;
  /** Takes something away that the release before still uses; the file says so in its first line. */
  isContract: boolean;
}

interface AppliedMigration {
  sha256: string;
  isContract: boolean;
}

const migrationLock = 7_005_003;
const migrationTimeout = '10min';
const contractLine = /^-- contract\b/;

/**
 * Brings the database to the state of the SQL files in `directory`, in the order of their names, each in its own
 * transaction; gives the names of those that were run. A database that is ahead serves too, as long as nothing was taken
 * away: processes of two releases run side by side during an upgrade. Any number of processes may do so at once; the lock lives in the transaction, so it also holds behind
 * a connection pooler.
 */
export async function migrate(
  db: Pick<Database, 'transaction'>,
  directory: string,
  logger: Logger,
  /** Not further than this. */
  only?: ReadonlySet<string>,
): Promise<string[]> {
  const known = await readMigrations(directory);
  const migrations = known.filter(({ name }) => only?.has(name) ?? true);
  const names: string[] = [];
  let isNew = false;
  for (;;) {
    const applied = await db.transaction((tx) => applyNext(tx, migrations));
    if (applied === undefined) return names;
    names.push(applied.name);
    isNew ||= applied.isFirst;
    // That an existing database was changed is news; that a new one was filled is not.
    logger[isNew ? 'debug' : 'info']({ migration: applied.name }, 'migrated the database');
  }
}

/** What was run on a database, in order. */
export async function appliedNames(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>('select name from schema_migration order by name');
  return rows.map(({ name }) => name);
}

/** Throws a StartError when the database lacks something: where the schema is changed by hand alone. */
export async function refuseOutdated(db: Pick<Database, 'transaction'>, directory: string): Promise<void> {
  const migrations = await readMigrations(directory);
  const applied = await db.transaction(async (tx) =>
    (await isMigrated(tx)) ? await appliedMigrations(tx) : new Map(),
  );
  refuseUnknown(applied, migrations);
  const missing = migrations.filter(({ name }) => !applied.has(name)).map(({ name }) => name);
  if (missing.length > 0) {
    throw new StartError(
      `The database lacks ${missing.join(', ')} and LONGHAND_MIGRATE is false: run "longhand migrate" of this release first.`,
    );
  }
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name), 'utf8');
      const sha256 = createHash('sha256').update(sql).digest('hex');
      return { name, sql, sha256, isContract: contractLine.test(sql) };
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
  if (!(await isMigrated(tx))) await createMigrationTable(tx);
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
  if (next.isContract)
    await tx.query('update schema_migration set is_contract = true where name = $1', [next.name]);
  return { name: next.name, isFirst: applied.size === 0 };
}

/** Not "create table if not exists": that would need the right to create even when there is nothing to do. */
async function isMigrated(tx: Queryable): Promise<boolean> {
  const [found] = await tx.query<{ present: boolean }>(
    "select to_regclass('schema_migration') is not null as present",
  );
  return found?.present === true;
}

async function createMigrationTable(tx: Queryable): Promise<void> {
  await tx.query(`
    create table schema_migration (
      name text primary key,
      sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
      applied_at timestamptz not null default clock_timestamp(),
      is_contract boolean not null default false
    )`);
}

async function appliedMigrations(tx: Queryable): Promise<Map<string, AppliedMigration>> {
  // By way of JSON: the column is younger than the table.
  const rows = await tx.query<AppliedMigration & { name: string }>(
    `select name, sha256, coalesce((to_jsonb(one) ->> 'is_contract')::boolean, false) as "isContract"
     from schema_migration one`,
  );
  return new Map(rows.map(({ name, sha256, isContract }) => [name, { sha256, isContract }]));
}

function refuseUnknown(
  applied: ReadonlyMap<string, AppliedMigration>,
  migrations: readonly Migration[],
): void {
  const known = new Map(migrations.map(({ name, sha256 }) => [name, sha256]));
  for (const [name, { sha256, isContract }] of applied) {
    const ours = known.get(name);
    if (ours === undefined && isContract) {
      throw new StartError(
        `The database is too new for this Longhand: its migration ${name} took away what this release needs. Update Longhand, or use another database.`,
      );
    }
    if (ours !== undefined && ours !== sha256) {
      throw new StartError(
        `The migration ${name} was changed after it had been applied to this database: restore the file, and put the change into a new migration.`,
      );
    }
  }
}
