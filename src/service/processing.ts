/** What turns jobs into text: the stores, the queue, and the worker that takes steps from it. */
import { join } from 'node:path';
import { Allowance } from '../account/allowance.ts';
import { createSources } from '../media/resolve.ts';
import type { Queryable } from '../platform/database.ts';
import { createEgress } from '../platform/egress.ts';
import { generatedSecret } from '../platform/generated-secret.ts';
import { HashThread } from '../platform/hash-thread.ts';
import { TaskQueue } from '../platform/queue.ts';
import { ScratchDirectory } from '../platform/scratch-directory.ts';
import { findSandbox } from '../platform/subprocess.ts';
import { modelsNeededBy } from '../speech/engine.ts';
import { ModelStore } from '../speech/model-store.ts';
import { SpeechPool } from '../speech/speech-pool.ts';
import { LocalStore } from '../storage/local-store.ts';
import { type ObjectStores, objectStores } from '../storage/object-store.ts';
import { S3Store } from '../storage/s3-store.ts';
import { startJobWorker } from '../transcription/job-worker.ts';
import { transcriptionQueues } from '../transcription/queues.ts';
import type { Transcription } from '../transcription/transcription.ts';
import { WorkerPresence } from '../transcription/worker-presence.ts';
import type { Foundation } from './foundation.ts';

export interface Storage {
  stores: ObjectStores;
  local: LocalStore;
  close(): Promise<void>;
}

export async function openStorage({ config, clock }: Foundation, publicUrl: () => string): Promise<Storage> {
  const hashThread = new HashThread();
  const local = new LocalStore({
    directory: join(config.dataDir, 'objects'),
    signingKey: await generatedSecret(config.dataDir, 'upload-signing-key'),
    publicUrl,
    clock,
    hashThread,
  });
  const s3 = config.s3 ? [new S3Store({ ...config.s3, clock })] : [];
  const close = async () => {
    for (const store of s3) store.close();
    await hashThread.close();
  };
  return { stores: objectStores(config.storage, [local, ...s3]), local, close };
}

export function openQueue({ db, clock, logger }: Foundation): Promise<TaskQueue> {
  return TaskQueue.open({
    connectionString: db.connectionString,
    queues: transcriptionQueues,
    clock,
    logger,
  });
}

/** The largest model is a few gigabytes; a line of 5 Mbit/s brings one in an hour. */
const modelDownloadLimits = {
  connectMs: 10_000,
  totalMs: 2 * 3_600_000,
  idleMs: 60_000,
  bytesMax: 8 * 2 ** 30,
  headerBytesMax: 64 * 1024,
  redirectsMax: 5,
};

export function modelStoreOf({ config, clock }: Pick<Foundation, 'config' | 'clock'>): ModelStore {
  const egress = createEgress({ allow: config.egressAllow, clock });
  return new ModelStore({
    directory: join(config.dataDir, 'models'),
    async httpsDownload(url, signal) {
      const answer = await egress.request({ url, signal, httpsOnly: true, limits: modelDownloadLimits });
      if (answer.status === 200) return answer.body;
      answer.close();
      throw new Error(`it answered with status ${answer.status}`);
    },
  });
}

export interface WorkerParts {
  foundation: Foundation;
  stores: ObjectStores;
  queue: TaskQueue;
  recordEnd(tx: Queryable, job: Transcription): Promise<void>;
  afterEnd(): void;
}

export interface RunningWorker {
  /** Call after the queue has stopped: nobody asks for speech any more. */
  stop(): Promise<void>;
}

/** A trial of bubblewrap takes some milliseconds where it works. */
const sandboxTrialMs = 5_000;

/** Starts to take steps of jobs; without its models a worker takes none and does not count as one. */
export async function startWorker(parts: WorkerParts): Promise<RunningWorker> {
  const { foundation, stores, queue } = parts;
  const { config, clock, logger, db } = foundation;
  const modelStore = modelStoreOf(foundation);
  const needed = modelsNeededBy(config.engine.name);
  const installed = await Promise.all(needed.map((id) => modelStore.installed(id)));
  if (!installed.every(Boolean)) {
    logger.error(
      'the speech models are not installed, so no job can run here: run "longhand models install --default"',
    );
    return { stop: async () => {} };
  }
  const scratch = new ScratchDirectory(join(config.dataDir, 'tmp'));
  await scratch.prepare();
  const speech = new SpeechPool({
    processes: config.workers,
    modelsDirectory: join(config.dataDir, 'models'),
    logger,
    clock,
  });
  const { ffmpeg, ffprobe, ytdlp } = config.programs;
  const bubblewrap = await findSandbox('bwrap', clock.timeout(sandboxTrialMs));
  const egress = createEgress({ allow: config.egressAllow, clock });
  startJobWorker({
    db,
    queue,
    stores,
    speech,
    logger,
    clock,
    programs: { ffmpeg, ffprobe, bubblewrap, clock },
    sources: createSources({ egress, clock, ytdlp }),
    scratch,
    engine: config.engine.name,
    allowance: new Allowance(clock),
    workers: config.workers,
    recordEnd: parts.recordEnd,
    afterEnd: parts.afterEnd,
  });
  const presence = new WorkerPresence(db, logger);
  await presence.start(clock);
  return {
    async stop() {
      await speech.close();
      await presence.stop();
    },
  };
}
