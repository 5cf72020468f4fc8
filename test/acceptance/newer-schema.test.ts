/** This release as the one before: its processes on a schema that the next release has expanded. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { onCleanup } from '../support/cleanup.ts';
import { createEmptyDatabase, withConnection } from '../support/empty-database.ts';
import { longhand, startService, testEnvironment } from '../support/service.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');

test('only "longhand migrate" changes the schema where services may not, and a newer one serves them', async (t) => {
  const environment = await testEnvironment(t, {
    LONGHAND_DATABASE_URL: await createEmptyDatabase(t),
    LONGHAND_MIGRATE: 'false',
  });
  const databaseUrl = environment.LONGHAND_DATABASE_URL ?? '';
  const refused = await longhand(environment, 'serve');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /run "(npx )?longhand migrate" of this release first/);

  const first = JSON.parse((await longhand(environment, 'migrate', '--json')).stdout);
  assert.ok(first.migrated.includes('0090-fleet.sql'));
  assert.deepEqual(JSON.parse((await longhand(environment, 'migrate', '--json')).stdout), { migrated: [] });

  await withConnection(databaseUrl, (db) =>
    db.query(`
      alter table transcription add column of_next_release text not null default 'x';
      alter table account add column of_next_release int;
      create table of_next_release (id int primary key);
      insert into schema_migration (name, sha256) values ('9999-next.sql', repeat('0', 64))`),
  );
  const service = await startService(environment);
  onCleanup(t, () => service.stop());
  const client = await newClient(service);
  const created = await client.post('/api/v1/transcriptions', { upload: await client.uploadFile(austen) });
  assert.equal(created.status, 202);
  assert.equal((await client.ended(created.body.data.id)).body.data.status, 'completed');

  await withConnection(databaseUrl, (db) =>
    db.query(`update schema_migration set is_contract = true where name = '9999-next.sql'`),
  );
  const tooNew = await longhand(environment, 'account', 'list');
  assert.equal(tooNew.code, 1);
  assert.match(tooNew.stderr, /too new for this Longhand: its migration 9999-next\.sql/);
});
