/** An empty database for a service in another process, which brings its own schema: nothing here knows the inside. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Hooks, onCleanup } from './cleanup.ts';

export async function createEmptyDatabase(hooks: Hooks): Promise<string> {
  const server = process.env.LONGHAND_TEST_DATABASE_URL;
  if (!server) throw new Error('no database server: run this file with npm test -- FILE');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await withConnection(server, (client) => client.query(`create database ${name} template template0`));
  onCleanup(hooks, () =>
    withConnection(server, async (client) => {
      await client.query(`drop database if exists ${name} with (force)`);
    }),
  );
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
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
