/** A database of its own for a test, cloned from a template that holds every migration. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type pg from 'pg';
import { systemClock } from '../../src/platform/clock.ts';
import { Database } from '../../src/platform/database.ts';
import { migrate } from '../../src/platform/migrations.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { type Hooks, onCleanup } from './cleanup.ts';
import { withConnection } from './empty-database.ts';
import { silentLogger } from './silent-logger.ts';

const migrationsDir = join(import.meta.dirname, '..', '..', 'migrations');
const templateLock = 7_005_010;

/** An open, migrated database that is dropped when the test ends. */
export async function openTestDatabase(
  hooks: Hooks,
  options: { connectionsMax?: number; migrated?: boolean } = {},
): Promise<Database> {
  const { connectionString, drop } = await createDatabase(options.migrated ?? true);
  const database = new Database({
    connectionString,
    connectionsMax: options.connectionsMax ?? 10,
    applicationName: 'longhand test',
    logger: silentLogger,
  });
  onCleanup(hooks, async () => {
    await database.close();
    await drop();
  });
  return database;
}

async function createDatabase(
  migrated: boolean,
): Promise<{ connectionString: string; drop: () => Promise<void> }> {
  const server = await serverConnectionString();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withConnection(server, async (session) => {
    const template = migrated ? await ensureTemplate(session, server) : 'template0';
    await session.query(`create database ${name} template ${template}`);
  });
  return {
    connectionString: withDatabaseName(server, name),
    drop: async () => {
      await withConnection(server, (session) =>
        session.query(`drop database if exists ${name} with (force)`),
      );
    },
  };
}

/** The first test process of a run makes the template; the lock makes the others wait for it. */
async function ensureTemplate(session: pg.Client, server: string): Promise<string> {
  const template = `longhand_template_${await migrationsDigest()}`;
  const exists = async () =>
    (await session.query('select 1 from pg_database where datname = $1', [template])).rows.length > 0;
  if (await exists()) return template;
  await session.query('select pg_advisory_lock($1)', [templateLock]);
  try {
    if (await exists()) return template;
    await session.query(`drop database if exists ${template}_draft with (force)`);
    await session.query(`create database ${template}_draft`);
    const draft = new Database({
      connectionString: withDatabaseName(server, `${template}_draft`),
      connectionsMax: 1,
      applicationName: 'longhand test template',
      logger: silentLogger,
    });
    try {
      await migrate(draft, migrationsDir, silentLogger);
    } finally {
      await draft.close();
    }
    await session.query(`alter database ${template}_draft rename to ${template}`);
    return template;
  } finally {
    await session.query('select pg_advisory_unlock($1)', [templateLock]);
  }
}

async function migrationsDigest(): Promise<string> {
  const digest = createHash('sha256');
  for (const name of (await readdir(migrationsDir)).toSorted()) {
    digest.update(`${name}\0`).update(await readFile(join(migrationsDir, name)));
  }
  return digest.digest('hex').slice(0, 16);
}

let ownServer: Promise<{ postgres: EmbeddedPostgres; dataDir: string }> | undefined;

/** The server of this test run (scripts/test.ts), or one of our own when a single file is run by hand. */
async function serverConnectionString(): Promise<string> {
  const given = process.env.LONGHAND_TEST_DATABASE_URL;
  if (given) return given;
  ownServer ??= startOwnServer();
  return (await ownServer).postgres.connectionString;
}

async function startOwnServer(): Promise<{ postgres: EmbeddedPostgres; dataDir: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'longhand-test-'));
  const postgres = await openEmbeddedPostgres({ dataDir, logger: silentLogger, clock: systemClock });
  return { postgres, dataDir };
}

after(async () => {
  if (!ownServer) return;
  const { postgres, dataDir } = await ownServer;
  await postgres.close();
  await rm(dataDir, { recursive: true, force: true });
});

function withDatabaseName(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
}
