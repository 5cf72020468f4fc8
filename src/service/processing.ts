/** What turns jobs into text: the stores, the queue, and the worker that takes steps from it. */
import { hostname } from 'node:os';
import { Allowance } from '../account/allowance.ts';
import type { Config } from '../config.ts';
import { rerunQueue } from '../edition/rerun/rerun.ts';
import { startRerunWorker } from '../edition/rerun/rerun-worker.ts';
import type { MediaPrograms } from '../media/probe.ts';
import type { LinkSources, SourcesOptions } from '../media/resolve.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import type { DiskBudget } from '../platform/disk/disk-budget.ts';
import { ScratchDirectory } from '../platform/disk/scratch-directory.ts';
import { generatedSecret } from '../platform/generated-secret.ts';
import { packageVersion } from '../platform/package-version.ts';
import { findSandbox } from '../platform/process/find-sandbox.ts';
import type { Sandbox } from '../platform/process/sandbox.ts';
import { TaskQueue, type TaskQueueOptions } from '../platform/queue/queue.ts';
import { StartError } from '../platform/start-error.ts';
import type { Speech } from '../speech/speech.ts';
import { identityFileName, isLocalStorageHere } from '../storage/local/local-identity.ts';
import { LocalStore } from '../storage/local/local-store.ts';
import { UploadThreads } from '../storage/local/upload-threads.ts';
import { workKey } from '../storage/object-key.ts';
import { type ObjectStores, objectStores } from '../storage/object-store.ts';
import { Outages } from '../transcription/fault/outages.ts';
import { WorkerPresence } from '../transcription/fault/worker-presence.ts';
import type { WorkerDescription } from '../transcription/fault/worker-store.ts';
import { startJobWorker } from '../transcription/step/job-worker.ts';
import { stepQueues } from '../transcription/step/steps.ts';
import type { JobNotes } from '../transcription/trace/job-notes.ts';
import type { EndedTranscription } from '../transcription/transcription.ts';
import { diskBudget, expectDiskSpace, objectsPath, scratchPath, watchDiskSpace } from './disk.ts';
import type { Foundation } from './foundation.ts';
import type { LazyEgress } from './lazy-egress.ts';
import { openModelStore } from './speech.ts';

export interface Storage {
  stores: ObjectStores;
  /** Undefined where uploads go to S3 and the directory of the local storage is on another machine. */
  local: LocalStore | undefined;
  disk: DiskBudget;
  /** How often a store was not available, since the start. */
  faults(): number;
  close(): Promise<void>;
}

/** The storages that belong to this database. */
export async function openStorage(foundation: Foundation): Promise<Storage> {
  const { config, db, isEmbedded } = foundation;
  const directory = objectsPath(config);
  const isCurrent = config.storage === 'local';
  // The embedded database is part of the same data directory.
  const isHere = isEmbedded || (await isLocalStorageHere({ db, directory, isCurrent }));
  if (isCurrent && !isHere) {
    throw new StartError(
      `Another directory than ${directory} holds the uploads of this database: share that one between the machines (its file ${identityFileName} goes with it), or set LONGHAND_STORAGE=s3.`,
    );
  }
  return await openStores(foundation, isHere);
}

/** The storages of the configuration, for whoever examines a set-up without its database: what is promised to uploads is not known then. */
export async function openStores(
  { config, clock, db }: Pick<Foundation, 'config' | 'clock'> & { db?: Queryable },
  hasLocal = true,
): Promise<Storage> {
  const uploadThreads = new UploadThreads();
  const disk = diskBudget({ config, clock, db });
  const local = new LocalStore({
    directory: objectsPath(config),
    disk,
    signingKey: await generatedSecret(config.dataDir, 'upload-signing-key'),
    clock,
    uploadThreads,
  });
  const s3 = config.s3 ? [await s3Store(config.s3, clock)] : [];
  const close = async () => {
    for (const store of s3) store.close();
    await uploadThreads.close();
  };
  const stores = objectStores(config.storage, [...(hasLocal ? [local] : []), ...s3]);
  const faults = () => s3.reduce((sum, store) => sum + store.faults, 0);
  return { stores, local: hasLocal ? local : undefined, disk, faults, close };
}

/** Loaded when it is configured: a start without it is a tenth of a second faster. */
async function s3Store(s3: NonNullable<Config['s3']>, clock: Clock) {
  const { S3Store } = await import('../storage/s3-store.ts');
  return new S3Store({ ...s3, clock });
}

export function openQueue(
  { db, clock, logger }: Foundation,
  options: Pick<TaskQueueOptions, 'pollMs' | 'announcements'> = {},
): Promise<TaskQueue> {
  return TaskQueue.open({
    db,
    queues: [...Object.values(stepQueues), rerunQueue],
    clock,
    logger,
    ...options,
  });
}

export interface WorkerParts {
  foundation: Foundation;
  /** The worker closes it. */
  speech: Speech;
  programs: MediaPrograms;
  stores: ObjectStores;
  disk: DiskBudget;
  queue: TaskQueue;
  egress: Pick<LazyEgress, 'open'>;
  recordEnd(tx: Queryable, job: EndedTranscription): Promise<void>;
  afterEnd(): void;
  notes?: JobNotes | undefined;
}

export interface RunningWorker {
  /** Call after the queue has stopped: nobody asks for speech any more. */
  stop(): Promise<void>;
}

type Context = Pick<Foundation, 'config' | 'clock' | 'logger'>;

/** Of no job. */
const presenceId = '00000000-0000-0000-0000-000000000000';
/** A trial of bubblewrap takes some milliseconds where it works. */
const sandboxTrialMs = 5_000;

/** ffmpeg and ffprobe, and what they run in. */
export async function mediaPrograms(context: Context): Promise<MediaPrograms> {
  const { config, clock } = context;
  const { ffmpeg, ffprobe } = config.programs;
  return { ffmpeg, ffprobe, sandbox: await openSandbox(context), clock };
}

/** Starts to take steps of jobs, and tells the API so. */
export async function startWorker(parts: WorkerParts): Promise<RunningWorker> {
  const { foundation, stores, disk, queue, speech, programs } = parts;
  const { config, clock, logger, db, accounts } = foundation;
  const scratch = new ScratchDirectory(scratchPath(config), disk);
  await scratch.prepare();
  const outages = new Outages({
    clock,
    logger,
    probes: { storage: () => stores.current.check(), disk: () => expectDiskSpace(disk) },
    onEnd: () => {
      for (const { name } of [...Object.values(stepQueues), rerunQueue]) queue.wake(name);
    },
  });
  const presence = new WorkerPresence({
    db,
    logger,
    about: await describeWorker(config, parts.egress),
    expectFit: () => expectStorage(stores, outages),
  });
  await presence.start(clock);
  const endWatch = watchDiskSpace(disk, clock, (error) => outages.report('disk', error));
  startJobWorker({
    db,
    queue,
    admission: { queue, accounts },
    stores,
    speech,
    logger,
    clock,
    outages,
    programs,
    sources: linkSources({ ytdlp: config.programs.ytdlp, sandbox: programs.sandbox, clock }, parts.egress),
    scratch,
    engine: config.engine.name,
    allowance: new Allowance(clock),
    workers: config.workers,
    recordEnd: parts.recordEnd,
    afterEnd: parts.afterEnd,
    notes: parts.notes,
  });
  startRerunWorker({
    db,
    queue,
    stores,
    speech,
    programs,
    scratch,
    engine: config.engine.name,
    outages,
    logger,
  });
  return {
    async stop() {
      endWatch();
      outages.stop();
      await speech.close();
      await presence.stop();
    },
  };
}

async function describeWorker(config: Config, egress: WorkerParts['egress']): Promise<WorkerDescription> {
  const { engine, workers: capacity } = config;
  const known = await (await openModelStore({ config }, egress)).list();
  const models = known.filter(({ installed }) => installed).map(({ id }) => id);
  return { version: packageVersion(), host: hostname(), engine: engine.name, models, capacity };
}

/**
 * A worker that cannot reach the objects of jobs takes none and does not count as one that could: asked for an object
 * that never exists, a storage that is there says so. Room on its disk is another matter.
 */
async function expectStorage({ current: store }: ObjectStores, outages: Outages): Promise<void> {
  try {
    await store.head(workKey(presenceId, 'presence'));
  } catch (error) {
    outages.report('storage', error);
    throw error;
  }
}

/** Without one media are still read, within the limits of their programs; a warning is logged. */
async function openSandbox({ config, clock, logger }: Context): Promise<Sandbox | undefined> {
  const found = await findSandbox({ hidden: [config.dataDir], signal: clock.timeout(sandboxTrialMs) });
  if ('command' in found) return found;
  logger.warn(
    { missing: found.missing, reason: found.reason },
    'There is no sandbox on this machine: ffmpeg runs without one, and links to video pages are refused unless yt-dlp is recent. Run "longhand doctor".',
  );
  return undefined;
}

/** Loaded with the first link: a command that transcribes a file starts a tenth of a second sooner. */
function linkSources(options: Omit<SourcesOptions, 'egress'>, egress: WorkerParts['egress']): LinkSources {
  let opened: Promise<LinkSources> | undefined;
  const open = async () => {
    const { createSources } = await import('../media/resolve.ts');
    return createSources({ ...options, egress: await egress.open() });
  };
  return {
    async acquireSource(url, options) {
      opened ??= open();
      return (await opened).acquireSource(url, options);
    },
  };
}
