/** A job that was transcribed, without the work: its rows as the last step leaves them. */
import { randomUUID } from 'node:crypto';
import { accountStore } from '../../src/account/account-store.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import type { Principal } from '../../src/account/principal.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Segment } from '../../src/transcript/segment.ts';
import { segmentWords } from '../../src/transcript/segment-words.ts';
import { principalOf } from './principal.ts';

const accounts = accountStore(parsePlanTable(builtInPlans));

export async function newPrincipal(db: Database): Promise<Principal> {
  return principalOf(await accounts.create(db, { name: 'test', plan: 'pro' }));
}

export async function completedJob(
  db: Database,
  { account }: Principal,
  segments: readonly Segment[],
): Promise<string> {
  const id = randomUUID();
  await db.query(
    `insert into transcription
       (id, account_id, filename, status, source, options, finished_at, duration_seconds, text, segments, words)
     values ($1, $2, 'board.mp3', 'completed', '{"kind":"url","url":"https://example.com/a.mp3"}', '{}', now(), $3, $4, $5, $6)`,
    [
      id,
      account.id,
      segments.at(-1)?.end ?? 0,
      segments.map(({ text }) => text).join(' '),
      JSON.stringify(segments),
      JSON.stringify(segmentWords(segments)),
    ],
  );
  return id;
}
