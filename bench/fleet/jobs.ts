/** Jobs that are decoded and wait to be recognised, with their tasks. */
import { randomUUID } from 'node:crypto';
import { accountStore } from '../../src/account/account-store.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Database, Queryable } from '../../src/platform/database/database.ts';
import { TaskQueue } from '../../src/platform/queue/queue.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import { stepQueues } from '../../src/transcription/step/steps.ts';

const logger = createLogger({ level: 'error', pretty: false });

const plan = { index: 0, startSample: 0, endSample: 16_000, utterances: [] };

/** Jobs that are decoded into one chunk each, spread over accounts. */
export async function addJobs(
  db: Database,
  { jobs, accounts }: { jobs: number; accounts: number },
): Promise<{ id: string; account: string }[]> {
  const store = accountStore(parsePlanTable(builtInPlans));
  const made = await Promise.all(
    Array.from({ length: accounts }, () => store.create(db, { name: 'bench', plan: 'pro' })),
  );
  const queue = await TaskQueue.open({
    db,
    queues: Object.values(stepQueues),
    clock: systemClock,
    logger,
    pollMs: 60_000,
  });
  const added: { id: string; account: string }[] = [];
  await db.transaction(async (tx) => {
    for (const [lane, { id: account }] of made.entries()) {
      const own = Array.from({ length: Math.ceil(jobs / accounts) }, () => randomUUID());
      await insertDecoded(tx, account, own);
      const tasks = own.map((transcriptionId) => ({
        data: { transcriptionId, index: 0 },
        lane: lane + 1,
        place: 0,
      }));
      await queue.send(tx, stepQueues.recognise.name, tasks);
      added.push(...own.map((id) => ({ id, account })));
    }
  });
  await queue.stop(0);
  return added;
}

async function insertDecoded(tx: Queryable, account: string, ids: readonly string[]): Promise<void> {
  await tx.query(
    `insert into transcription (id, account_id, filename, source, options, admitted_at, stage, duration_seconds,
       chunks_total, chunks_left, audio)
     select id, $2, 'a.mp3', '{"kind":"url","url":"https://example.com/a"}', '{"engine":"auto","language":"en"}', now(),
       'recognising', 1, 1, 1, jsonb_build_object('storage', 'local', 'key', 'work/' || id || '/audio.s16le')
     from unnest($1::uuid[]) id`,
    [ids, account],
  );
  await tx.query(
    `insert into chunk (transcription_id, index, plan) select id, 0, $2 from unnest($1::uuid[]) id`,
    [ids, plan],
  );
}
