/** What must hold when everything is quiet again. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable } from '../src/platform/database.ts';
import type { Random } from '../test/support/random.ts';
import type { ChaosFleet } from './chaos-fleet.ts';
import { clips, type Heard, patiently, type SentJob } from './chaos-load.ts';

export interface Verdict {
  lost: string[];
  doubled: string[];
  wrong: string[];
  leftBehind: string[];
}

/** Until no job is in progress and no delivery waits. */
export async function untilQuiet(db: Queryable, withinMs: number): Promise<boolean> {
  const untilMs = Date.now() + withinMs;
  while (Date.now() < untilMs) {
    const [row] = await db
      .query<{ left: number }>(
        `select ((select count(*) from transcription where status = 'processing')
           + (select count(*) from webhook_delivery where state in ('pending', 'sending')))::int as left`,
      )
      .catch(() => []);
    if (row?.left === 0) return true;
    await delay(500);
  }
  return false;
}

export async function checked(
  fleet: ChaosFleet,
  db: Queryable,
  random: Random,
  { sent, heard }: { sent: readonly SentJob[]; heard: readonly Heard[] },
): Promise<Verdict> {
  const verdict: Verdict = { lost: [], doubled: [], wrong: [], leftBehind: [] };
  for (const { id, account, clip } of sent) {
    const { data } = await patiently(fleet, random, `/api/v1/transcriptions/${id}`, { key: account.key });
    if (data.status !== 'completed') verdict.lost.push(`${id} is ${data.status}: ${data.error}`);
    else if (!clips[clip]?.test(data.text)) verdict.wrong.push(`${id} (${clip}): ${data.text}`);
    const events = new Set(heard.filter(({ jobId }) => jobId === id).map(({ eventId }) => eventId));
    if (events.size === 0) verdict.lost.push(`no event of ${id}`);
    if (events.size > 1) verdict.doubled.push(`${events.size} events of ${id}`);
  }
  await checkCounts(db, sent, verdict);
  await checkLeftovers(fleet, db, verdict);
  return verdict;
}

async function checkCounts(db: Queryable, sent: readonly SentJob[], verdict: Verdict): Promise<void> {
  const rows = await db.query<{ account_id: string; jobs: number; counted: number }>(
    `select account_id, count(*)::int as jobs,
       (select coalesce(sum(transcriptions), 0)::int from daily_usage where account_id = t.account_id) as counted
     from transcription t group by account_id`,
  );
  for (const { account_id, jobs, counted } of rows) {
    const acknowledged = sent.filter(({ account }) => account.id === account_id).length;
    if (jobs !== acknowledged)
      verdict.doubled.push(`${jobs} jobs of ${account_id}, ${acknowledged} acknowledged`);
    if (counted !== jobs)
      verdict.wrong.push(`the allowance of ${account_id} counts ${counted} for ${jobs} jobs`);
  }
}

async function checkLeftovers(fleet: ChaosFleet, db: Queryable, verdict: Verdict): Promise<void> {
  const counts = {
    tasks: `select count(*)::int as left from queue.job where state < 'completed' and name not like '%-dead'`,
    'dead letters': `select count(*)::int as left from queue.job where name like '%-dead'`,
    chunks: 'select count(*)::int as left from chunk',
    'running jobs without an end': `select count(*)::int as left from transcription where status = 'processing'`,
  };
  for (const [what, query] of Object.entries(counts)) {
    const [row] = await db.query<{ left: number }>(query);
    if (row?.left !== 0) verdict.leftBehind.push(`${row?.left} ${what}`);
  }
  // Objects of jobs that ended while the store was away are the sweep's, an hour later; they must have an ended job.
  const objects = await fleet.store.list('work/');
  const ids = objects.map((key) => key.split('/')[1] ?? '').filter((id) => /^[0-9a-f-]{36}$/.test(id));
  const known = await db.query<{ id: string }>('select id from transcription where id = any($1::uuid[])', [
    ids,
  ]);
  if (known.length !== new Set(ids).size) verdict.leftBehind.push('work objects of unknown jobs');
  const files = await fleet.scratchFiles();
  if (files.length > 0) verdict.leftBehind.push(`scratch files: ${files.join(', ')}`);
}
