import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import { runExclusively } from '../platform/database/exclusive.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import {
  playbackPrefix,
  transcriptionOfPlaybackKey,
  transcriptionOfWorkKey,
  workPrefix,
} from '../storage/object-key.ts';
import { type ObjectStore, type ObjectStores, type StorageId, storageIds } from '../storage/object-store.ts';
import { type SweptUpload, sweepStore } from './sweep-store.ts';
import { uploadStore } from './upload-store.ts';

export interface SweepDeps {
  db: Queryable;
  stores: ObjectStores;
  clock: Clock;
  logger: Logger;
  /** Media of finished jobs is kept this long. */
  retentionDays: number;
}

export interface SweepReport {
  discarded: number;
  erased: number;
  workObjects: number;
  leftovers: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A transfer may begin in the last second of its URL and still run. */
const graceMs = hourMs;
const unusedKeptMs = dayMs;
const erasedRememberedMs = 30 * dayMs;
/** Of 500 uploads each; the rest waits for the next sweep. */
const batchesMax = 20;

/** Erases what nobody needs any more; never what a job still works with. Undefined when another sweep is running. */
export async function sweep(deps: SweepDeps): Promise<SweepReport | undefined> {
  return await runExclusively(deps, 'sweep', () => sweepAll(deps));
}

async function sweepAll(deps: SweepDeps): Promise<SweepReport> {
  const { db, clock, retentionDays } = deps;
  const now = clock.date();
  const ago = (ms: number) => new Date(now.getTime() - ms);
  const times = {
    now,
    multipartsEndedBefore: ago(graceMs),
    unusedSince: ago(unusedKeptMs),
    finishedBefore: ago(retentionDays * dayMs),
  };
  await settleEndedSingles(deps, times.multipartsEndedBefore);
  let discarded = 0;
  let erased = 0;
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const batchDiscarded = await sweepStore.discardUnneeded(db, times);
    const batchErased = await eraseDiscarded(deps);
    discarded += batchDiscarded;
    erased += batchErased;
    if (batchDiscarded === 0 || batchErased === 0) break;
  }
  const { workObjects, leftovers } = await sweepStores(deps, {
    before: ago(graceMs),
    finishedBefore: times.finishedBefore,
  });
  await sweepStore.forgetErased(db, ago(erasedRememberedMs));
  return { discarded, erased, workObjects, leftovers };
}

/** Single uploads whose URL has ended: what never arrived must not count as the account's any longer. */
async function settleEndedSingles(deps: SweepDeps, endedBefore: Date): Promise<void> {
  const { db, clock } = deps;
  const ended = await sweepStore.endedSingles(db, { endedBefore, storages: configuredStorages(deps) });
  await withStores(deps, ended, async (store, { id, key }) => {
    if (await store.head(key)) await sweepStore.markArrived(db, id);
    else await uploadStore.discard(db, { id, at: clock.date() });
  });
}

async function eraseDiscarded(deps: SweepDeps): Promise<number> {
  const { db, clock } = deps;
  const erasable = await sweepStore.erasable(db, configuredStorages(deps));
  return await withStores(deps, erasable, async (store, { id, key }) => {
    await store.delete(key);
    await uploadStore.markErased(db, { id, at: clock.date() });
  });
}

function configuredStorages({ stores }: SweepDeps): StorageId[] {
  return storageIds.filter((id) => stores.get(id) !== undefined);
}

/** Gives how many succeeded. A store that does not answer is asked again at the next sweep; the rows remember. */
async function withStores(
  { stores, logger }: SweepDeps,
  uploads: readonly SweptUpload[],
  work: (store: ObjectStore, upload: SweptUpload) => Promise<void>,
): Promise<number> {
  let done = 0;
  const silent = new Set<StorageId>();
  for (const upload of uploads) {
    const { storage } = upload;
    const store = stores.get(storage);
    if (!store || silent.has(storage)) continue;
    try {
      await work(store, upload);
      done += 1;
    } catch (error) {
      silent.add(storage);
      logger.warn({ err: error, storage }, 'the sweep could not reach a storage; it will try again');
    }
  }
  return done;
}

async function sweepStores(
  { db, stores, logger }: SweepDeps,
  { before, finishedBefore }: { before: Date; finishedBefore: Date },
): Promise<{ workObjects: number; leftovers: number }> {
  const counts = { workObjects: 0, leftovers: 0 };
  for (const id of storageIds) {
    const store = stores.get(id);
    if (!store) continue;
    try {
      for (const objects of [
        workObjects(db),
        playbackObjects(db, 'audio.ogg', finishedBefore),
        playbackObjects(db, 'peaks', new Date(0)),
      ])
        counts.workObjects += await eraseObjectsOfJobs(store, objects, before);
      counts.leftovers += await store.removeLeftovers(before);
    } catch (error) {
      logger.warn({ err: error, storage: id }, 'the sweep could not tidy a storage; it will try again');
    }
  }
  return counts;
}

const workBatchSize = 500;

/** Objects that jobs made, under one prefix, and which of these jobs still need theirs. */
interface JobObjects {
  prefix: string;
  jobOf(key: string): string | undefined;
  needed(jobs: readonly string[]): Promise<Set<string>>;
}

/** Work objects are their job's own: once it has ended, or is gone, nobody reads them. */
function workObjects(db: Queryable): JobObjects {
  return {
    prefix: workPrefix,
    jobOf: transcriptionOfWorkKey,
    needed: (jobs) => sweepStore.processing(db, jobs),
  };
}

/** A playback copy goes with the media of its job; the waveform stays as long as the completed job does. */
function playbackObjects(db: Queryable, name: 'audio.ogg' | 'peaks', finishedBefore: Date): JobObjects {
  return {
    prefix: playbackPrefix,
    jobOf: (key) => (key.endsWith(`/${name}`) ? transcriptionOfPlaybackKey(key) : undefined),
    needed: (jobs) => sweepStore.audible(db, jobs, finishedBefore),
  };
}

async function eraseObjectsOfJobs(store: ObjectStore, objects: JobObjects, before: Date): Promise<number> {
  let erased = 0;
  let batch = new Map<string, string>();
  const eraseBatch = async () => {
    const needed = await objects.needed([...new Set(batch.values())]);
    for (const [key, transcriptionId] of batch) {
      if (needed.has(transcriptionId)) continue;
      await store.delete(key);
      erased += 1;
    }
    batch = new Map();
  };
  for await (const { key, modifiedAt } of store.list(objects.prefix)) {
    const transcriptionId = objects.jobOf(key);
    if (transcriptionId === undefined || modifiedAt >= before) continue;
    batch.set(key, transcriptionId);
    if (batch.size >= workBatchSize) await eraseBatch();
  }
  if (batch.size > 0) await eraseBatch();
  return erased;
}
