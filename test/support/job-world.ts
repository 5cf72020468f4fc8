/** Jobs, their tasks and their ends on a database of their own, without a worker: a test plays its part. */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { accountStore } from '../../src/account/account-store.ts';
import { Allowance } from '../../src/account/allowance.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import { rerunQueue } from '../../src/edition/rerun/rerun.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { DiskBudget, spaceOf } from '../../src/platform/disk/disk-budget.ts';
import { TaskQueue } from '../../src/platform/queue/queue.ts';
import { LocalStore } from '../../src/storage/local/local-store.ts';
import { UploadThreads } from '../../src/storage/local/upload-threads.ts';
import { objectStores } from '../../src/storage/object-store.ts';
import { queueJob } from '../../src/transcription/admission/create-transcription.ts';
import type { ReconcileDeps } from '../../src/transcription/fault/reconcile.ts';
import { type Step, stepQueues } from '../../src/transcription/step/steps.ts';
import { optionsFor, type Source } from '../../src/transcription/transcription.ts';
import { transcriptionStore } from '../../src/transcription/transcription-store.ts';
import { recordTerminalEvent } from '../../src/webhook/record-terminal-event.ts';
import { defaultScheduleSetting, parseRetrySchedule } from '../../src/webhook/retry-schedule.ts';
import { type Hooks, onCleanup } from './cleanup.ts';
import { openTestDatabase } from './database.ts';
import { temporaryDataDir } from './service.ts';

const plans = parsePlanTable(builtInPlans);
const link: Source = { kind: 'url', url: 'https://example.com/a.mp3' };

export interface JobWorld {
  db: Database;
  deps: ReconcileDeps;
  /** What was logged, parsed. */
  lines: Record<string, unknown>[];
  account(plan?: string): Promise<string>;
  /** Created as the API does, and paid for by the allowance. */
  job(accountId: string, source?: Source): Promise<string>;
  /** Takes a job past its decoding, into so many chunks. */
  decoded(id: string, chunks: number): Promise<void>;
  tasks(step: Step): Promise<{ transcriptionId: string; index?: number }[]>;
  /** Types of the events of this job. */
  events(id: string): Promise<string[]>;
  used(accountId: string): Promise<number>;
}

export async function openJobWorld(hooks: Hooks): Promise<JobWorld> {
  const db = await openTestDatabase(hooks);
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const queues = [...Object.values(stepQueues), rerunQueue];
  const queue = await TaskQueue.open({ db, queues, clock: systemClock, logger });
  onCleanup(hooks, () => queue.stop(0));
  const uploadThreads = new UploadThreads();
  onCleanup(hooks, () => uploadThreads.close());
  const directory = join(await temporaryDataDir(hooks), 'objects');
  const local = new LocalStore({
    directory,
    disk: new DiskBudget({ space: () => spaceOf([tmpdir()]), reserveBytes: 0 }),
    signingKey: Buffer.alloc(32),
    clock: systemClock,
    uploadThreads,
  });
  const allowance = new Allowance(systemClock);
  const accounts = accountStore(plans);
  const deps: JobWorld['deps'] = {
    db,
    admission: { queue, accounts },
    stores: objectStores('local', [local]),
    allowance,
    logger,
    clock: systemClock,
    async recordEnd(tx, job) {
      const { id, accountId, filename, status, durationSeconds } = job;
      const ended = { id, accountId, filename, status, durationSeconds, endedAt: systemClock.date() };
      const schedule = parseRetrySchedule(defaultScheduleSetting);
      await recordTerminalEvent(tx, ended, { publicUrl: 'https://longhand.example.com', schedule });
    },
    afterEnd: () => {},
  };
  return {
    db,
    deps,
    lines,
    account: async (plan = 'pro') => (await accounts.create(db, { name: 'test', plan })).id,
    async job(accountId, source = link) {
      const id = randomUUID();
      const account = await accounts.get(db, accountId);
      const options = optionsFor(account.plan, { speakerDiarization: false });
      await queueJob({ ...deps, ...deps.admission }, async (tx) => {
        const { day: allowanceDay } = await allowance.take(tx, account);
        const job = { id, accountId, filename: 'a.mp3', source, options, allowanceDay };
        return transcriptionStore.insert(tx, job);
      });
      return id;
    },
    async decoded(id, chunks) {
      await transcriptionStore.markDecoded(db, id, {
        durationSeconds: 20 * chunks,
        audio: { storage: 'local', key: `work/${id}/audio.s16le` },
        chunks,
        notes: [],
        options: { engine: 'auto', language: 'en' },
      });
      await db.query(
        `insert into chunk (transcription_id, index, plan) select $1, i, '{}' from generate_series(0, $2 - 1) as i`,
        [id, chunks],
      );
    },
    async tasks(step) {
      const rows = await db.query<{ data: { transcriptionId: string; index?: number } }>(
        `select data from queue.job where name = $1 and state < 'completed' order by priority desc, created_on`,
        [stepQueues[step].name],
      );
      return rows.map(({ data }) => data);
    },
    async events(id) {
      const rows = await db.query<{ type: string }>(
        'select type from webhook_event where transcription_id = $1',
        [id],
      );
      return rows.map(({ type }) => type);
    },
    async used(accountId) {
      const [row] = await db.query<{ transcriptions: number }>(
        'select transcriptions from daily_usage where account_id = $1',
        [accountId],
      );
      return row?.transcriptions ?? 0;
    },
  };
}
