/** Tasks of running jobs are lost: deleted by hand, or given up by the queue. */
import { setTimeout as delay } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { stepQueues } from '../../src/transcription/step/steps.ts';
import { answerText, openSpeechEndpoint } from '../../test/support/speech-endpoint.ts';
import type { BenchmarkRow } from '../run.ts';
import { type AttackStage, clip, createJob, type Owner, openStage, seconds, withCleanup } from './stage.ts';

const jobsCount = 5;
const barMs = 120_000;
const taskWithinMs = 60_000;
const endsWithinMs = 240_000;
const taskName = stepQueues.recognise.name;

export function taskAttacks(): Promise<BenchmarkRow[]> {
  return withCleanup(async (hooks) => {
    const endpoint = await openSpeechEndpoint(hooks);
    const settings = { ...endpoint.settings, LONGHAND_EGRESS_ALLOW: endpoint.target, LONGHAND_WORKERS: '2' };
    const stage = await openStage(hooks, { settings });
    const gated = { isOpen: false };
    endpoint.answer = async (response) => {
      const deadline = Date.now() + endsWithinMs;
      while (!gated.isOpen && !response.destroyed && Date.now() < deadline) await delay(100);
      answerText(response);
    };
    const lose = (what: string, wanted: readonly string[], act: () => Promise<void>) =>
      lostRow(stage, { what, wanted, act, gated });
    return [
      await lose('deleted by hand', ['completed'], async () => {
        await stage.rows('delete from queue.job where name = $1', [taskName]);
      }),
      // A worker that is in the middle of one may still end it first.
      await lose('given up by the queue', ['failed', 'completed'], () => giveUpTasks(stage)),
    ];
  });
}

async function lostRow(
  stage: AttackStage,
  {
    what,
    wanted,
    act,
    gated,
  }: { what: string; wanted: readonly string[]; act: () => Promise<void>; gated: { isOpen: boolean } },
): Promise<BenchmarkRow> {
  gated.isOpen = false;
  const owner = await stage.owner('pro');
  const upload = await owner.api.uploadFile(clip('austen-870'));
  const jobs: string[] = [];
  for (let i = 0; i < jobsCount; i += 1) jobs.push(await createJob(owner, { upload }));
  await haveTasks(stage);
  await act();
  const lostAt = performance.now();
  gated.isOpen = true;
  const ended = await endsOf(owner, jobs);
  const ms = performance.now() - lostAt;
  const events = await stage.rows('select from webhook_event where transcription_id = any($1)', [jobs]);
  return {
    figure: `the recognise tasks of ${jobsCount} jobs ${what}: ends, events, time until the last end`,
    value: `${ended.join(', ')}; ${events.length}; ${seconds(ms)}`,
    bar: `${wanted.join(' or ')}; ${jobsCount}; ${seconds(barMs)}`,
    passed: ended.every((end) => wanted.includes(end)) && events.length === jobsCount && ms <= barMs,
  };
}

async function haveTasks({ rows }: AttackStage): Promise<void> {
  const deadline = Date.now() + taskWithinMs;
  const waiting = `select from queue.job where name = $1 and state < 'completed'`;
  while ((await rows(waiting, [taskName])).length < jobsCount) {
    if (Date.now() > deadline) throw new Error('the jobs were not decoded in time');
    await delay(100);
  }
}

/** As the queue's supervision does with tasks whose workers died once too often. */
async function giveUpTasks({ rows }: AttackStage): Promise<void> {
  await rows(`update queue.job set retry_count = retry_limit, state = 'active' where name = $1`, [taskName]);
  const tasks = await rows<{ id: string }>(`select id from queue.job where name = $1 and state = 'active'`, [
    taskName,
  ]);
  const executeSql = async (text: string, values: unknown[] = []) => ({ rows: await rows(text, values) });
  const boss = new PgBoss({ db: { executeSql }, schema: 'queue', supervise: false, schedule: false });
  await boss.start();
  for (const { id } of tasks) await boss.fail(taskName, id);
  await boss.stop();
}

async function endsOf({ api }: Owner, jobs: readonly string[]): Promise<string[]> {
  const ends = await Promise.all(jobs.map((id) => api.ended(id, endsWithinMs)));
  return ends.map(({ body }) => body.data.status);
}
