import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { onlyRow } from '../../src/platform/database/database.ts';
import { DatabaseUnavailable } from '../../src/platform/database/database-fault.ts';
import { TaskStore } from '../../src/platform/queue/task-store.ts';
import { openTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { silentLogger } from '../support/silent-logger.ts';

const hooks = { after };

test('a connection that dies between two statements of a transaction costs the transaction, not the process', async () => {
  const db = await openTestDatabase(hooks);
  const work = db.transaction(async (tx) => {
    const { pid } = onlyRow(await tx.query<{ pid: number }>('select pg_backend_pid() as pid'));
    await db.query('select pg_terminate_backend($1)', [pid]);
    const isGone = async () =>
      (await db.query('select from pg_stat_activity where pid = $1', [pid])).length === 0 || undefined;
    await eventually(isGone, 'the end of the connection');
    await tx.query('select 1');
  });
  await assert.rejects(work, DatabaseUnavailable);
  assert.equal((await db.query('select 1')).length, 1);
});

test('processes that start together on a new database all get their queue', async () => {
  const db = await openTestDatabase(hooks, { connectionsMax: 8 });
  const queues = [{ name: 'plain', expireSeconds: 60, retrySeconds: 0 }];
  const open = () => TaskStore.open({ db, queues, logger: silentLogger });
  const stores = await Promise.all(Array.from({ length: 8 }, open));
  for (const store of stores) await store.close();
});
