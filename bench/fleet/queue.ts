/** A database with 100,000 queued jobs beside one with 1,000, on one server, asked in turns: what disturbs one disturbs the other. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { accountStore } from '../../src/account/account-store.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import { operatorFor } from '../../src/account/principal.ts';
import { Database, onlyRow } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrations.ts';
import { TaskStore } from '../../src/platform/queue/task-store.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import { searchTranscriptions } from '../../src/transcription/library/search-transcriptions.ts';
import { stepQueues } from '../../src/transcription/step/steps.ts';
import { transcriptionStore } from '../../src/transcription/transcription-store.ts';
import type { BenchmarkRow } from '../run.ts';
import { percentile } from '../stage/upload-service.ts';
import { addJobs } from './jobs.ts';

const logger = createLogger({ level: 'error', pretty: false });
const accounts = 50;
/** Of which the claims must fit into the smaller queue. */
const claimRounds = 900;
const readRounds = 3_000;

type Figure = 'claim' | 'get' | 'list' | 'search';
type Asked = Record<Figure, () => Promise<unknown>>;

export async function longQueue(server: Database): Promise<BenchmarkRow[]> {
  const [few, many] = [await openQueued(server, 'few', 1_000), await openQueued(server, 'many', 100_000)];
  try {
    await server.query('checkpoint');
    const rows: BenchmarkRow[] = [];
    for (const figure of ['claim', 'get', 'list', 'search'] as const)
      rows.push(await compared(figure, few.asked, many.asked));
    const size = `${((many.bytes - few.bytes) / 99_000 / 1000).toFixed(1)} kB`;
    return [...rows, { figure: 'database size per queued job of one chunk', value: size, bar: 'stated' }];
  } finally {
    for (const { store, db } of [few, many]) {
      await store.close();
      await db.close();
    }
  }
}

async function openQueued(server: Database, name: string, jobs: number) {
  await server.query(`create database ${name}`);
  const url = new URL(server.connectionString);
  url.pathname = `/${name}`;
  const db = new Database({
    connectionString: url.href,
    connectionsMax: 2,
    applicationName: 'bench',
    logger,
  });
  await migrate(db, join(import.meta.dirname, '..', '..', 'migrations'), logger);
  const before = await bytesOf(db);
  const added = await addJobs(db, { jobs, accounts });
  const bytes = (await bytesOf(db)) - before;
  const store = await TaskStore.open({ db, queues: Object.values(stepQueues), logger });
  const asked = await askedOf(db, store, added);
  await db.query('vacuum analyze');
  return { db, store, bytes, asked };
}

/** What workers and the API ask, of the first account. */
async function askedOf(
  db: Database,
  store: TaskStore,
  added: readonly { id: string; account: string }[],
): Promise<Asked> {
  const [{ id, account } = { id: '', account: '' }] = added;
  await addTranscripts(db, account);
  const { name } = stepQueues.recognise;
  const principal = operatorFor(await accountStore(parsePlanTable(builtInPlans)).get(db, account));
  return {
    claim: async () => {
      const [lane = 0] = await store.lanes(name);
      const [task] = await store.take(name, lane, 1);
      if (!task) throw new Error('nothing was claimed');
    },
    get: () => transcriptionStore.findOwned(db, account, id),
    list: () => transcriptionStore.listNewest(db, account, 25),
    search: () => searchTranscriptions({ db }, principal, { query: 'budget weather' }),
  };
}

/** 200 finished ones of one minute each, for the search. */
async function addTranscripts(db: Database, account: string): Promise<void> {
  const segments = Array.from({ length: 8 }, (_, index) => ({
    start: index * 8,
    end: index * 8 + 7,
    text: `Sentence ${index} is about the weather and the budget of the year.`,
  }));
  await db.query(
    `insert into transcription (id, account_id, filename, status, source, options, finished_at, text, segments)
     select id, $2, 'a.mp3', 'completed', '{"kind":"url","url":"https://example.com/a"}', '{}', now(), 'text', $3
     from unnest($1::uuid[]) id`,
    [Array.from({ length: 200 }, () => randomUUID()), account, JSON.stringify(segments)],
  );
}

async function compared(figure: Figure, few: Asked, many: Asked): Promise<BenchmarkRow> {
  const times: { few: number[]; many: number[] } = { few: [], many: [] };
  for (let round = 0; round < (figure === 'claim' ? claimRounds : readRounds); round += 1) {
    // Each is first every other time: on a busy machine the second of two has less of our share of the processor left.
    const order = round % 2 === 0 ? (['few', 'many'] as const) : (['many', 'few'] as const);
    for (const which of order) times[which].push(await timed({ few, many }[which][figure]));
  }
  const [before, after] = [percentile(times.few, 0.99), percentile(times.many, 0.99)];
  const medians = `medians ${percentile(times.few, 0.5).toFixed(2)}, ${percentile(times.many, 0.5).toFixed(2)}`;
  return {
    figure: `${figure} p99 with 100,000 queued jobs against 1,000`,
    value: `${after.toFixed(2)} against ${before.toFixed(2)} ms (${(after / before).toFixed(2)} ×); ${medians}`,
    bar: 'at most 1.5 ×',
    passed: after / before <= 1.5,
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function bytesOf(db: Database): Promise<number> {
  const rows = await db.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return Number(onlyRow(rows).bytes);
}
