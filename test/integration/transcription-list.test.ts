import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { accountStore } from '../../src/account/account-store.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import type { Queryable } from '../../src/platform/database/database.ts';
import { jobLogStore } from '../../src/transcription/library/job-log-store.ts';
import { transcriptionStore } from '../../src/transcription/transcription-store.ts';
import { openTestDatabase } from '../support/database.ts';

const db = await openTestDatabase({ after }, { connectionsMax: 1 });
const accounts = accountStore(parsePlanTable(builtInPlans));
const jobsOfEach = 60_000;

async function accountWithJobs(name: string): Promise<string> {
  const { id } = await accounts.create(db, { name, plan: 'pro' });
  await db.query(
    `insert into transcription (id, account_id, filename, status, source, options, finished_at, text)
     select gen_random_uuid(), $1, 'a.mp3', 'completed', '{"kind":"url","url":"https://example.com/a"}', '{}', now(), 'text'
     from generate_series(1, ${jobsOfEach})`,
    [id],
  );
  return id;
}

/** Runs the statements under EXPLAIN ANALYZE and gives how many rows they looked at in all. */
async function rowsRead(work: (db: Queryable) => Promise<unknown>): Promise<number> {
  let read = 0;
  await work({
    async query(text, values) {
      const [plan] = await db.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      );
      read += rowsOf(plan?.['QUERY PLAN'][0].Plan);
      return [];
    },
  });
  return read;
}

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

function rowsOf(node: PlanNode | undefined): number {
  if (!node) return 0;
  const own = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
  return own * node['Actual Loops'] + (node.Plans ?? []).reduce((sum, below) => sum + rowsOf(below), 0);
}

const old = await accountWithJobs('old');
await accountWithJobs('new');
await db.query('analyze transcription');

test('the list of an account whose jobs are old reads no more than it shows', async () => {
  assert.ok((await rowsRead((tx) => transcriptionStore.listNewest(tx, old, 50))) <= 200);
  const all = { status: undefined, accountId: undefined, limit: 20 };
  assert.ok((await rowsRead((tx) => jobLogStore.list(tx, all))) <= 200);
  assert.ok((await rowsRead((tx) => jobLogStore.list(tx, { ...all, accountId: old }))) <= 200);
});

test('the list of an account with many jobs is not planned anew each time', async () => {
  for (let times = 0; times < 20; times += 1)
    assert.equal((await transcriptionStore.listNewest(db, old, 7)).length, 7);
  const statements = await db.query<{ planned: number }>(
    `select custom_plans::int as planned from pg_prepared_statements where name like 'transcription_newest%'`,
  );
  assert.deepEqual(statements, [{ planned: 5 }]);
});
