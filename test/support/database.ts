/** A database of its own for a test, cloned from a template that holds every migration. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { Database } from '../../src/platform/database/database.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { type Hooks, onCleanup } from './cleanup.ts';
import { withConnection } from './empty-database.ts';
import { silentLogger } from './silent-logger.ts';
import { templateDatabase, withDatabaseName } from './template-database.ts';

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
    const template = migrated ? await templateDatabase(session, server) : 'template0';
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
