/** Every accepted job ends, once: what fell between the jobs and their tasks is found and set right. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fail } from '../../src/transcription/end-job.ts';
import { ownFailures } from '../../src/transcription/failure.ts';
import { reconcile } from '../../src/transcription/fault/reconcile.ts';
import type { Step } from '../../src/transcription/step/steps.ts';
import { transcriptionStore } from '../../src/transcription/transcription-store.ts';
import { type JobWorld, openJobWorld } from '../support/job-world.ts';

async function status(world: JobWorld, id: string): Promise<string | undefined> {
  const [row] = await world.db.query<{ status: string }>('select status from transcription where id = $1', [
    id,
  ]);
  return row?.status;
}

const upload = { kind: 'upload', storage: 'local', key: 'k', sizeBytes: 1 } as const;

test('a job whose task was deleted by hand gets the task of its next step again, whichever that is', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account();
  const fetching = await world.job(account);
  const fetched = await world.job(account);
  await transcriptionStore.markFetched(world.db, fetched, {
    media: { storage: 'local', key: `work/${fetched}/media`, sizeBytes: 5 },
    filename: 'a.mp3',
  });
  const uploaded = await world.job(account, upload);
  const recognising = await world.job(account, upload);
  await world.decoded(recognising, 4);
  await world.db.query(
    `update chunk set status = 'done', result = '{}' where transcription_id = $1 and index = 1`,
    [recognising],
  );
  await transcriptionStore.countChunkDone(world.db, recognising);
  const finishing = await world.job(account, upload);
  await world.decoded(finishing, 0);
  await world.db.query('delete from queue.job');

  assert.deepEqual(await reconcile(world.deps), { requeued: 7, givenUp: 0 });
  const tasks = async (step: Step) => (await world.tasks(step)).map((task) => task.transcriptionId);
  assert.deepEqual(await tasks('fetch'), [fetching]);
  assert.deepEqual((await tasks('decode')).toSorted(), [fetched, uploaded].toSorted());
  assert.deepEqual(
    await world.tasks('recognise'),
    [0, 2, 3].map((index) => ({ transcriptionId: recognising, index })),
  );
  assert.deepEqual(await tasks('finish'), [finishing]);
  assert.deepEqual(await reconcile(world.deps), { requeued: 0, givenUp: 0 }, 'nothing is missing any more');
});

test('a task that somebody works on, or that waits for its next try, is not missing', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account();
  for (const state of ['active', 'retry', 'created']) {
    await world.job(account);
    await world.db.query(
      `update queue.job set state = $1::queue.job_state, start_after = now() + interval '1 hour' where state = 'created'`,
      [state],
    );
  }
  assert.deepEqual(await reconcile(world.deps), { requeued: 0, givenUp: 0 });
});

test('a job whose task used up its retries ends as failed, with one event, and is given back', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account();
  const id = await world.job(account);
  await world.db.query(
    `update queue.job set retry_count = retry_limit, state = 'active', started_on = now()`,
  );
  const [task] = await world.db.query<{ id: string }>('select id from queue.job');
  // As the supervision does with a task whose worker is dead.
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({
    db: { executeSql: async (text, values = []) => ({ rows: await world.db.query(text, values) }) },
    schema: 'queue',
    supervise: false,
    schedule: false,
  });
  await boss.start();
  await boss.fail('fetch', task?.id ?? '');
  await boss.stop();

  assert.deepEqual(await reconcile(world.deps), { requeued: 0, givenUp: 1 });
  assert.equal(await status(world, id), 'failed');
  assert.deepEqual(await world.events(id), ['transcription.failed']);
  assert.equal(await world.used(account), 0);
  assert.equal(world.lines.filter(({ job }) => job === id).length, 1, 'one line for its end');
  assert.deepEqual(await reconcile(world.deps), { requeued: 0, givenUp: 0 });
});

test('a job that stands still for a day ends as failed, once; time in which nothing ran does not count', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account();
  const id = await world.job(account);
  const day = `now() - interval '25 hours'`;
  await reconcile(world.deps);
  await world.db.query(`update transcription set progressed_at = ${day}`);
  await world.db.query(`update duty set done_at = ${day}`);
  assert.equal((await reconcile(world.deps))?.givenUp, 0, 'the service was off');
  await world.db.query(`update transcription set progressed_at = ${day}`);
  await Promise.all([reconcile(world.deps), reconcile(world.deps), reconcile(world.deps)]);
  await reconcile(world.deps);
  assert.equal(await status(world, id), 'failed');
  assert.deepEqual(await world.events(id), ['transcription.failed']);
  assert.equal(await world.used(account), 0);
});

test('one process at a time reconciles', async (t) => {
  const world = await openJobWorld(t);
  await world.job(await world.account());
  await world.db.query('delete from queue.job');
  const reports = await Promise.all(Array.from({ length: 5 }, () => reconcile(world.deps)));
  const requeued = reports.reduce((sum, report) => sum + (report?.requeued ?? 0), 0);
  assert.equal(requeued, 1);
  assert.equal((await world.tasks('fetch')).length, 1);
});

test('an account’s jobs run as many at once as its plan says, in order, and the end of one starts the next', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account('free');
  const jobs: string[] = [];
  for (let i = 0; i < 5; i += 1) jobs.push(await world.job(account));
  const waiting = async () => (await world.tasks('fetch')).map(({ transcriptionId }) => transcriptionId);
  assert.deepEqual(await waiting(), jobs.slice(0, 2));
  await fail(world.deps, jobs[1] ?? '', ownFailures.internal);
  assert.deepEqual(await waiting(), jobs.slice(0, 3));
  // Two ends at the same moment start two, not four.
  await Promise.all([0, 2].map((i) => fail(world.deps, jobs[i] ?? '', ownFailures.internal)));
  assert.deepEqual((await waiting()).toSorted(), jobs.toSorted());
  await world.job(await world.account('free'));
  assert.equal((await waiting()).length, 6, 'another account has its own share');
});

test('a job that could run and was not started is started by the next pass', async (t) => {
  const world = await openJobWorld(t);
  const account = await world.account('free');
  for (let i = 0; i < 3; i += 1) await world.job(account);
  await world.db.query(`update account set plan = 'pro'`);
  await reconcile(world.deps);
  assert.equal((await world.tasks('fetch')).length, 3);
});

test('a worker that fell silent is told once, and forgotten; one that lives is left alone', async (t) => {
  const world = await openJobWorld(t);
  await world.db.query('delete from worker');
  await world.db.query(
    `insert into worker (id, host, heard_at) values
       (gen_random_uuid(), 'gone', now() - interval '2 minutes'), (gen_random_uuid(), 'here', now())`,
  );
  await reconcile(world.deps);
  await reconcile(world.deps);
  const told = world.lines.filter(({ msg }) => String(msg).includes('a worker was lost'));
  assert.deepEqual(
    told.map(({ host }) => host),
    ['gone'],
  );
  assert.deepEqual(await world.db.query('select host from worker'), [{ host: 'here' }]);
});
