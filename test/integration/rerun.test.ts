/** Passages that are to be recognised again: what can be asked for, by whom and how often, and that each ends. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { accountStore } from '../../src/account/account-store.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import type { Principal } from '../../src/account/principal.ts';
import { ApiError } from '../../src/contract/errors.ts';
import { changeSegments, EditConflict } from '../../src/edition/change-segments.ts';
import { readEdition } from '../../src/edition/read-edition.ts';
import {
  listReruns,
  removeRerun,
  requestRerun,
  rerunChoices,
} from '../../src/edition/rerun/request-rerun.ts';
import { rerunStore } from '../../src/edition/rerun/rerun-store.ts';
import { completedJob } from '../support/completed-job.ts';
import { openJobWorld } from '../support/job-world.ts';
import { principalOf } from '../support/principal.ts';

const segments = [
  { start: 1, end: 4, text: 'Good morning, everyone.' },
  { start: 4.2, end: 9, text: 'Ich habe die Zahlen am Freitag geschickt.' },
  { start: 12, end: 15, text: 'What does that mean?' },
  { start: 900, end: 910, text: 'And much later.' },
];
const world = await openJobWorld({ after });
const { db } = world;
const { stores, clock } = world.deps;
const deps = { db, stores, clock, queue: world.deps.admission.queue };
const accounts = accountStore(parsePlanTable(builtInPlans));
await db.query(
  `insert into worker (id, version, host, engine, models, capacity)
   values ($1, '1', 'here', 'auto', '{silero-vad,moonshine-base,whisper-base}', 1)`,
  [randomUUID()],
);

async function start(plan = 'pro') {
  const principal = principalOf(await accounts.create(db, { name: 'test', plan }));
  const id = await completedJob(db, principal, segments);
  const media = {
    storage: 'local',
    key: `playback/${id}/audio.ogg`,
    contentType: 'audio/ogg',
    isVideo: false,
  };
  await stores.current.write(media.key, Buffer.from('sound'));
  await db.query('insert into playback (transcription_id, media) values ($1, $2)', [id, media]);
  const lines = (await readEdition(deps, principal, id)).segments;
  const ask = (from: number, to: number, more: { language?: string; engine?: string } = {}) =>
    requestRerun(deps, principal, {
      id,
      lines: lines.slice(from, to).map(({ id, revision }) => ({ id, revision })),
      language: more.language ?? null,
      engine: more.engine ?? null,
    });
  return { principal, id, media, lines, ask };
}

function refused(code: string) {
  return (error: unknown) => error instanceof ApiError && error.code === code;
}

const tasksOf = (id: string) =>
  db.query(`select data from queue.job where name = 'rerun' and data ->> 'transcriptionId' = $1`, [id]);

test('a passage is listened to with the pauses around it, at most three seconds, and has one task', async () => {
  const { id, ask } = await start();
  const { startMs, endMs, status, progress } = await ask(1, 2, { language: 'de' });
  assert.deepEqual([startMs, endMs, status, progress], [4_000, 12_000, 'waiting', null]);
  assert.equal((await tasksOf(id)).length, 1);
});

test('a passage is asked for once at a time, and what waits is taken back', async () => {
  const { principal, id, ask } = await start();
  const { id: rerunId } = await ask(0, 2);
  await assert.rejects(ask(1, 3), refused('invalid_request'));
  await removeRerun(deps, principal, { id, rerunId });
  assert.deepEqual(await listReruns(deps, principal, id), []);
  assert.equal(await rerunStore.begin(db, rerunId), undefined);
  assert.equal(await rerunStore.markProgress(db, rerunId, 0.5), false, 'a worker that had begun it stops');
  await assert.rejects(removeRerun(deps, principal, { id, rerunId }), refused('not_found'));
  await ask(1, 3);
  const { waiting, asked } = await rerunStore.usage(db, principal.account.id, new Date(0));
  assert.deepEqual([waiting, asked], [1, 2], 'what is taken back still counts for its day');
});

test('lines that somebody changed since they were seen are not recognised again', async () => {
  const { principal, id, lines, ask } = await start();
  const [, second] = lines;
  assert.ok(second);
  const { startMs, endMs } = second;
  const change = {
    id: second.id,
    base: 1,
    deleted: false as const,
    startMs,
    endMs,
    text: 'Mine.',
    speaker: null,
  };
  await changeSegments(deps, principal, { id, changes: [change] });
  await assert.rejects(ask(1, 2), EditConflict);
  await assert.rejects(ask(0, 4), EditConflict);
});

test('ten minutes are the most at once, and a model must be here and know the language', async () => {
  const { principal, id, ask } = await start();
  await assert.rejects(ask(0, 4), refused('invalid_request'));
  await assert.rejects(ask(0, 1, { engine: 'whisper-small' }), refused('invalid_request'));
  await assert.rejects(ask(0, 1, { engine: 'moonshine-base', language: 'de' }), refused('invalid_request'));
  await ask(0, 1, { engine: 'whisper-base', language: 'de' });
  const { engines, isKept } = await rerunChoices(deps, principal, id);
  assert.deepEqual([engines.map((engine) => engine.id), isKept], [['moonshine-base', 'whisper-base'], true]);
});

test('an account has as many at once as jobs, and ten times its daily jobs in a day', async () => {
  const { principal, id, ask } = await start('free');
  await ask(0, 1);
  await ask(1, 2);
  await assert.rejects(ask(2, 3), refused('rate_limited'));
  await db.query(`update rerun set status = 'failed', failure = 'no_words', ended_at = now()`);
  await db.query(
    `insert into rerun (id, transcription_id, account_id, lines, start_ms, end_ms, status, failure, ended_at)
     select gen_random_uuid(), $1, $2, '[]', 50000, 50001, 'failed', 'no_words', now() from generate_series(1, 98)`,
    [id, principal.account.id],
  );
  await assert.rejects(ask(2, 3), refused('daily_limit_reached'));
});

test('without its media nothing is asked for, and nothing of another account is there', async () => {
  const { principal, id, media, ask } = await start();
  const stranger: Principal = principalOf(await accounts.create(db, { name: 'eve', plan: 'pro' }));
  await assert.rejects(rerunChoices(deps, stranger, id), refused('not_found'));
  await assert.rejects(listReruns(deps, stranger, id), refused('not_found'));
  await stores.current.delete(media.key);
  await assert.rejects(ask(0, 1), refused('upload_not_found'));
  assert.equal((await rerunChoices(deps, principal, id)).isKept, false);
});

test('one that no worker came to within an hour has failed, and its passage can be asked for again', async () => {
  const { principal, id, ask } = await start();
  const { id: rerunId } = await ask(0, 1);
  await db.query(`update rerun set created_at = now() - interval '61 minutes' where id = $1`, [rerunId]);
  const [rerun] = await listReruns(deps, principal, id);
  assert.deepEqual([rerun?.status, rerun?.failure], ['failed', 'expired']);
  assert.equal(await rerunStore.begin(db, rerunId), undefined);
  await ask(0, 1);
  assert.equal((await listReruns(deps, principal, id)).length, 1);
});
