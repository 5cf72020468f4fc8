import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { createEmptyDatabase, withConnection } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { skipWithoutPooler, startPooler } from '../support/pooler.ts';
import { runService } from '../support/service.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');

/** Locks that belong to sessions and stay with them; those of transactions end with these. */
function sessionLocks(databaseUrl: string): Promise<number> {
  return withConnection(databaseUrl, async (db) => {
    const { rows } = await db.query(
      `select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.length;
  });
}

for (const way of ['a pooler alone', 'a pooler, and the server itself for what is announced']) {
  test(`a job is done through ${way}`, { skip: skipWithoutPooler }, async (t) => {
    const direct = await createEmptyDatabase(t);
    const pooled = await startPooler(t, direct);
    const service = await runService(t, {
      LONGHAND_DATABASE_URL: pooled,
      ...(way === 'a pooler alone' ? {} : { LONGHAND_DATABASE_DIRECT_URL: direct }),
    });
    const client = await newClient(service);
    const upload = await client.uploadFile(austen);
    const created = await client.post('/api/v1/transcriptions', { upload });
    assert.equal(created.status, 202);
    const { body } = await client.ended(created.body.data.id);
    assert.match(body.data.text, /not an ill[- ]disposed young man/i);

    const isTold = () => service.log().includes('LONGHAND_DATABASE_DIRECT_URL');
    if (way === 'a pooler alone') await eventually(isTold, 'the operator is told what to set');
    else assert.ok(!isTold());
    await service.stop();
    assert.equal(await sessionLocks(direct), 0);
  });
}
