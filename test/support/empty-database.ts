/** A database for a service in another process, which brings its own schema: nothing here knows the inside. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Hooks, onCleanup } from './cleanup.ts';
import { templateDatabase, withDatabaseName } from './template-database.ts';

export function createEmptyDatabase(hooks: Hooks): Promise<string> {
  return createDatabase(hooks, async () => 'template0');
}

/** As empty, but with the schema in place: a service on it is ready sooner. */
export function createMigratedDatabase(hooks: Hooks): Promise<string> {
  return createDatabase(hooks, templateDatabase);
}

async function createDatabase(
  hooks: Hooks,
  templateOf: (session: pg.Client, server: string) => Promise<string>,
): Promise<string> {
  const server = process.env.LONGHAND_TEST_DATABASE_URL;
  if (!server) throw new Error('no database server: run this file with npm test -- FILE');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withConnection(server, async (session) => {
    await session.query(`create database ${name} template ${await templateOf(session, server)}`);
  });
  onCleanup(hooks, () =>
    withConnection(server, async (client) => {
      await client.query(`drop database if exists ${name} with (force)`);
    }),
  );
  return withDatabaseName(server, name);
}

export async function withConnection<Result>(
  connectionString: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString, application_name: 'longhand test admin' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
