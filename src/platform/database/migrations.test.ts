import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { onCleanup } from '../../../test/support/cleanup.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { silentLogger } from '../../../test/support/silent-logger.ts';
import type { Database } from './database.ts';
import { migrate, refuseOutdated } from './migrations.ts';

async function migrationsIn(t: TestContext, files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-migrations-'));
  onCleanup(t, () => rm(directory, { recursive: true, force: true }));
  for (const [name, sql] of Object.entries(files)) await writeFile(join(directory, name), sql);
  return directory;
}

async function appliedNames(database: Database): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    'select name from schema_migration order by applied_at, name',
  );
  return rows.map(({ name }) => name);
}

test('migrations run in the order of their names, and a second run changes nothing', async (t) => {
  const database = await openTestDatabase(t, { migrated: false });
  const directory = await migrationsIn(t, {
    '0002-letter.sql': "insert into word values ('second'); create table letter (id int);",
    '0001-word.sql': "create table word (text text); insert into word values ('first');",
    'README.md': 'not a migration',
  });
  await migrate(database, directory, silentLogger);
  await migrate(database, directory, silentLogger);
  assert.deepEqual(await appliedNames(database), ['0001-word.sql', '0002-letter.sql']);
  assert.deepEqual(await database.query('select text from word'), [{ text: 'first' }, { text: 'second' }]);
});

test('a migration that fails leaves nothing of itself and keeps those before it', async (t) => {
  const database = await openTestDatabase(t, { migrated: false });
  const directory = await migrationsIn(t, {
    '0001-word.sql': 'create table word (text text);',
    '0002-wrong.sql': 'create table half (id int); select * from missing;',
  });
  await assert.rejects(migrate(database, directory, silentLogger), /the migration 0002-wrong\.sql failed/);
  assert.deepEqual(await appliedNames(database), ['0001-word.sql']);
  assert.deepEqual(await database.query("select to_regclass('half') as half"), [{ half: null }]);
});

test('an applied migration that was changed stops the start', async (t) => {
  const database = await openTestDatabase(t, { migrated: false });
  const directory = await migrationsIn(t, { '0001-word.sql': 'create table word (text text);' });
  await migrate(database, directory, silentLogger);
  await writeFile(join(directory, '0001-word.sql'), 'create table word (text varchar);');
  await assert.rejects(migrate(database, directory, silentLogger), {
    name: 'StartError',
    message: /0001-word\.sql was changed/,
  });
});

test('a database newer than the code serves it, until something was taken away', async (t) => {
  const database = await openTestDatabase(t, { migrated: false });
  const directory = await migrationsIn(t, {
    '0001-a.sql': 'create table word (text text, length int);',
    '0002-b.sql': 'alter table word add column language text;',
  });
  await migrate(database, directory, silentLogger);
  await rm(join(directory, '0002-b.sql'));
  assert.deepEqual(await migrate(database, directory, silentLogger), []);

  await writeFile(join(directory, '0003-c.sql'), '-- contract\nalter table word drop column length;');
  await migrate(database, directory, silentLogger);
  await rm(join(directory, '0003-c.sql'));
  await assert.rejects(migrate(database, directory, silentLogger), {
    name: 'StartError',
    message: /too new for this Longhand: its migration 0003-c\.sql took away/,
  });
});

test('where the schema is changed by hand alone, a database that lacks something is refused', async (t) => {
  const database = await openTestDatabase(t, { migrated: false });
  const directory = await migrationsIn(t, { '0001-a.sql': 'create table word (text text);' });
  await assert.rejects(refuseOutdated(database, directory), {
    name: 'StartError',
    message: /lacks 0001-a\.sql .* run "longhand migrate"/,
  });
  await migrate(database, directory, silentLogger);
  await refuseOutdated(database, directory);
});

test('no migration takes something away unless its first line says so', async () => {
  const directory = join(import.meta.dirname, '..', '..', '..', 'migrations');
  const takesAway =
    /\b(drop\s+(table|column|type|function|view)|rename\s+(to|column)|alter\s+column\s+\w+\s+(type|set\s+not\s+null))\b/i;
  const names = (await readdir(directory)).filter((name) => name >= '0070');
  assert.ok(names.length > 0);
  for (const name of names) {
    const sql = await readFile(join(directory, name), 'utf8');
    if (!/^-- contract\b/.test(sql)) assert.doesNotMatch(sql.replace(/--.*$/gm, ''), takesAway, name);
  }
});

test('the project’s own migrations are in every test database', async (t) => {
  const database = await openTestDatabase(t);
  const directory = join(import.meta.dirname, '..', '..', '..', 'migrations');
  const before = await appliedNames(database);
  await migrate(database, directory, silentLogger);
  assert.deepEqual(await appliedNames(database), before);
  assert.ok(before.includes('0001-account.sql'));
});
