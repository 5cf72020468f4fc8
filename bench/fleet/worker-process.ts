/** A worker whose recognizer sleeps: everything but the cores. Tells its parent when it takes tasks. */
import { Readable } from 'node:stream';
import { accountStore } from '../../src/account/account-store.ts';
import { Allowance } from '../../src/account/allowance.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { Database } from '../../src/platform/database/database.ts';
import { Notifications } from '../../src/platform/database/notifications.ts';
import { TaskQueue } from '../../src/platform/queue/queue.ts';
import { taskChannel } from '../../src/platform/queue/task-store.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import type { Speech } from '../../src/speech/speech.ts';
import type { ObjectStore, ObjectStores } from '../../src/storage/object-store.ts';
import { finish } from '../../src/transcription/step/finish.ts';
import { recognise } from '../../src/transcription/step/recognise.ts';
import { type ChunkTask, type JobTask, stepQueues } from '../../src/transcription/step/steps.ts';

const [databaseUrl = '', sleepMs = '1000', slots = '2'] = process.argv.slice(2);
const logger = createLogger({ level: 'error', pretty: false });
const db = new Database({
  connectionString: databaseUrl,
  connectionsMax: 6,
  applicationName: 'longhand bench worker',
  logger,
});
const announcements = new Notifications({ db, clock, logger }, [taskChannel]);
const queue = await TaskQueue.open({ db, queues: Object.values(stepQueues), clock, logger, announcements });

/** Of each job one second of silence, wherever it is asked for. */
const store = {
  id: 'local',
  read: async () => Readable.from([Buffer.alloc(32_000)]),
  delete: async () => {},
} as unknown as ObjectStore;
const stores: ObjectStores = { current: store, get: () => store };
const speech = {
  async recognise() {
    await clock.sleep(Number(sleepMs));
    return { engine: 'sleep', utterances: [] };
  },
} as unknown as Speech;
const accounts = accountStore(parsePlanTable(builtInPlans));
const deps = {
  db,
  queue,
  stores,
  speech,
  logger,
  clock,
  allowance: new Allowance(clock),
  admission: { queue, accounts },
  recordEnd: async () => {},
  afterEnd: () => {},
};
queue.work<ChunkTask>(stepQueues.recognise.name, { concurrency: Number(slots) }, ({ data, signal }) =>
  recognise(deps, data, signal),
);
queue.work<JobTask>(stepQueues.finish.name, { concurrency: 2 }, ({ data, signal }) =>
  finish(deps, data, signal),
);
process.on('SIGTERM', async () => {
  await queue.stop(1_000);
  await announcements.stop();
  await db.close();
  process.exit(0);
});
while (!announcements.arrive) await clock.sleep(50);
process.send?.('ready');
