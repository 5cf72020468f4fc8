/** What must hold when everything is quiet again. */
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/platform/clock.ts';
import type { Queryable } from '../../src/platform/database/database.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import { objectStores } from '../../src/storage/object-store.ts';
import { sweep } from '../../src/upload/sweep.ts';
import type { Random } from '../../test/support/random.ts';
import type { ChaosFleet } from './fleet.ts';
import { clips, type Heard, patiently, type SentJob } from './load.ts';

const logger = createLogger({ level: 'error', pretty: false });

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
  /** The same recording has the same text, whatever happened meanwhile. */
  const texts = new Map<string, string>();
  for (const { id, account, clip } of sent) {
    const { data } = await patiently(fleet, random, `/api/v1/transcriptions/${id}`, { key: account.key });
    if (data.status !== 'completed') verdict.lost.push(`${id} is ${data.status}: ${data.error}`);
    else if (!clips[clip]?.test(data.text) || data.text !== (texts.get(clip) ?? data.text))
      verdict.wrong.push(`${id} (${clip}): ${data.text}`);
    else texts.set(clip, data.text);
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
  await sweepLater(fleet, db);
  for await (const { key } of fleet.store.list('work/')) verdict.leftBehind.push(`the object ${key}`);
  const uploads = await db.query<{ key: string }>(
    'select object_key as key from upload where erased_at is null',
  );
  const known = new Set(uploads.map(({ key }) => key));
  for await (const { key } of fleet.store.list('uploads/'))
    if (!known.has(key)) verdict.leftBehind.push(`the object ${key}`);
  const files = await fleet.scratchFiles();
  if (files.length > 0) verdict.leftBehind.push(`scratch files: ${files.join(', ')}`);
}

/** Objects of jobs that ended while the store was away are the sweep's, an hour later. */
async function sweepLater({ store }: ChaosFleet, db: Queryable): Promise<void> {
  const later = Date.now() + 2 * 3_600_000;
  const clock = { ...systemClock, now: () => later, date: () => new Date(later) };
  const stores = objectStores('s3', [store]);
  for (let tries = 0; tries < 60; tries += 1) {
    if (await sweep({ db, stores, clock, logger, retentionDays: 30 })) return;
    await delay(1_000);
  }
  throw new Error('another sweep never ended');
}
