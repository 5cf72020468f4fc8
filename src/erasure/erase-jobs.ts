import type { Queryable } from '../platform/database/database.ts';
import { removeTasks } from '../platform/queue/queue.ts';
import { playbackPrefixOf, workPrefixOf } from '../storage/object-key.ts';
import type { ObjectStores } from '../storage/object-store.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import { uploadStore } from '../upload/upload-store.ts';
import { eventStore } from '../webhook/event-store.ts';
import { configuredStorages } from './erase-objects.ts';
import { type ErasureTarget, erasureStore } from './erasure-store.ts';
import { uploadTargets } from './upload-targets.ts';

/**
 * Deletes ended jobs with their rows everywhere, and notes the bytes that are to be erased, in the caller's
 * transaction. An upload goes with the last job that uses it. An event that receivers still wait for stays until
 * they have it.
 */
export async function eraseJobs(
  tx: Queryable,
  { stores, now }: { stores: ObjectStores; now: Date },
  ids: readonly string[],
): Promise<ErasureTarget[]> {
  const storages = configuredStorages(stores);
  const work = ids.flatMap((id) =>
    [workPrefixOf(id), playbackPrefixOf(id)].flatMap((target) =>
      storages.map((storage) => ({ storage, target, until: now })),
    ),
  );
  const targets = [...work, ...uploadTargets(await uploadStore.deleteUsedOnlyBy(tx, ids), now)];
  await erasureStore.add(tx, targets);
  await removeTasks(tx, 'transcriptionId', ids);
  await transcriptionStore.deleteEnded(tx, ids);
  await eventStore.deleteSettledOf(tx, ids);
  return targets;
}
