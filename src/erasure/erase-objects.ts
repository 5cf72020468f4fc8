import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import { type ObjectStores, type StorageId, storageIds } from '../storage/object-store.ts';
import { type ErasureTarget, erasureStore } from './erasure-store.ts';

export interface EraseObjectsDeps {
  db: Queryable;
  stores: ObjectStores;
  clock: Clock;
  logger: Logger;
}

/** Of 500 targets each; the rest waits for the next time. */
const batchesMax = 200;

/** Erases the bytes of everything that was deleted and is not erased yet; false when some of it has to wait. */
export async function eraseObjects(deps: EraseObjectsDeps): Promise<boolean> {
  let isErased = true;
  for (const storage of configuredStorages(deps.stores))
    if (!(await eraseAllOf(deps, storage))) isErased = false;
  return isErased;
}

async function eraseAllOf(deps: EraseObjectsDeps, storage: StorageId): Promise<boolean> {
  for (let batch = 0; batch < batchesMax; batch += 1) {
    const due = await erasureStore.due(deps.db, storage, deps.clock.date());
    if (due.length === 0) return true;
    if (!(await eraseTargets(deps, due))) return false;
  }
  return false;
}

/**
 * Erases these. A storage that does not answer, or that this machine does not know, is left to the next time: then
 * false.
 */
export async function eraseTargets(
  deps: EraseObjectsDeps,
  targets: readonly ErasureTarget[],
): Promise<boolean> {
  const silent = new Set<StorageId>();
  for (const one of targets) {
    if (silent.has(one.storage)) continue;
    try {
      await eraseOne(deps, one);
    } catch (error) {
      silent.add(one.storage);
      deps.logger.warn(
        { err: error, storage: one.storage },
        'deleted media could not be erased; trying again later',
      );
    }
  }
  return silent.size === 0;
}

async function eraseOne({ db, stores, clock }: EraseObjectsDeps, one: ErasureTarget): Promise<void> {
  const store = stores.get(one.storage);
  if (!store) throw new Error(`the storage ${one.storage} is not configured on this machine`);
  const began = clock.date();
  if (one.target.endsWith('/')) await store.deleteAll(one.target);
  else await store.delete(one.target);
  await erasureStore.markErased(db, one, began);
}

export function configuredStorages(stores: ObjectStores): StorageId[] {
  return storageIds.filter((id) => stores.get(id) !== undefined);
}
