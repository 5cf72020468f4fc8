/** A migrated database that others are cloned from: made once for a run, by the command that makes one for operators. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';

const root = join(import.meta.dirname, '..', '..');
const migrationsDir = join(root, 'migrations');
const templateLock = 7_005_010;
const migrateWithinMs = 120_000;

/** Gives its name. The first test process of a run makes it; the lock makes the others wait for it. */
export async function templateDatabase(session: pg.Client, server: string): Promise<string> {
  const template = `longhand_template_${await digest()}`;
  const exists = async () =>
    (await session.query('select 1 from pg_database where datname = $1', [template])).rows.length > 0;
  if (await exists()) return template;
  await session.query('select pg_advisory_lock($1)', [templateLock]);
  try {
    if (await exists()) return template;
    await session.query(`drop database if exists ${template}_draft with (force)`);
    await session.query(`create database ${template}_draft template template0`);
    await migrate(withDatabaseName(server, `${template}_draft`));
    await session.query(`alter database ${template}_draft rename to ${template}`);
    return template;
  } finally {
    await session.query('select pg_advisory_unlock($1)', [templateLock]);
  }
}

export function withDatabaseName(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
}

async function migrate(databaseUrl: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'longhand-'));
  try {
    await promisify(execFile)(process.execPath, [join(root, 'src', 'main.ts'), 'migrate'], {
      env: { PATH: process.env.PATH ?? '', LONGHAND_DATABASE_URL: databaseUrl, LONGHAND_DATA_DIR: dataDir },
      timeout: migrateWithinMs,
      killSignal: 'SIGKILL',
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The lock file says which queue brings its own schema. */
async function digest(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(root, 'package-lock.json')));
  for (const name of (await readdir(migrationsDir)).toSorted()) {
    hash.update(`${name}\0`).update(await readFile(join(migrationsDir, name)));
  }
  return hash.digest('hex').slice(0, 16);
}
