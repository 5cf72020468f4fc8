import type { AccountStore } from '../account/account-store.ts';
import { apiKeyStore } from '../account/api-key-store.ts';
import { sessionStore } from '../account/session-store.ts';
import type { Queryable } from '../platform/database/database.ts';
import { removeTasks } from '../platform/queue/queue.ts';
import { uploadPrefixOf } from '../storage/object-key.ts';
import { fail } from '../transcription/end-job.ts';
import type { Failure } from '../transcription/failure.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import { uploadStore } from '../upload/upload-store.ts';
import { subscriptionStore } from '../webhook/subscription-store.ts';
import type { Deleted, ErasureDeps } from './delete-transcription.ts';
import { eraseJobs } from './erase-jobs.ts';
import { configuredStorages, eraseObjects } from './erase-objects.ts';
import { erasureStore } from './erasure-store.ts';
import { uploadTargets } from './upload-targets.ts';

export interface DeleteAccountDeps extends ErasureDeps {
  accounts: AccountStore;
}

const accountDeleted: Failure = {
  code: 'account_deleted',
  sentence: 'The account of this transcription was deleted.',
  isOurs: false,
};

const batchSize = 200;
/** Two hundred million jobs; what a request that was under way adds costs one more round. */
const roundsMax = 1_000_000;

/**
 * Deletes an account with everything that belongs to it. In one transaction it becomes unknown: no key opens it, no
 * receiver hears of it. Then its jobs and uploads go in batches, and its own row last. What a crash interrupts, the
 * service goes on with.
 */
export async function deleteAccount(deps: DeleteAccountDeps, id: string): Promise<Deleted> {
  const { db, accounts, stores, clock } = deps;
  await db.transaction(async (tx) => {
    await accounts.markDeleted(tx, id);
    await sessionStore.deleteOfAccount(tx, id);
    await apiKeyStore.deleteOfAccount(tx, id);
    await subscriptionStore.deleteOfAccount(tx, id);
    // The media of an account goes as a whole, with the directory that bears its id.
    const target = { target: uploadPrefixOf(id.toLowerCase()), until: clock.date() };
    await erasureStore.add(
      tx,
      configuredStorages(stores).map((storage) => ({ storage, ...target })),
    );
  });
  return await eraseAccount(deps, id.toLowerCase());
}

/** The rest of it, from wherever it was interrupted. */
export async function eraseAccount(deps: DeleteAccountDeps, id: string): Promise<Deleted> {
  let rounds = 0;
  while (!(await deleteBatch(deps, id))) {
    rounds += 1;
    if (rounds > roundsMax) throw new Error(`the account ${id} does not become empty`);
  }
  const isErased = await eraseObjects(deps);
  deps.logger.info({ account: id, isErased }, 'an account was deleted');
  return { isErased };
}

/** True when nothing was left, and the account is gone. First the uploads: nothing of them is kept for the sake of a job. */
async function deleteBatch(deps: DeleteAccountDeps, accountId: string): Promise<boolean> {
  const { db } = deps;
  const jobs = await transcriptionStore.ofAccount(db, { accountId, limit: batchSize });
  for (const { id, status } of jobs) {
    if (status === 'processing')
      await fail(deps, id, accountDeleted, { also: (tx) => removeTasks(tx, 'transcriptionId', [id]) });
  }
  if (await db.transaction((tx) => deleteUploads(tx, deps, accountId))) return false;
  if (jobs.length > 0) {
    const ids = jobs.map(({ id }) => id);
    await db.transaction((tx) => eraseJobs(tx, { stores: deps.stores, now: deps.clock.date() }, ids));
    return false;
  }
  return await db.transaction((tx) => erasureStore.deleteEmptiedAccount(tx, accountId));
}

/** False when there were none. */
async function deleteUploads(
  tx: Queryable,
  { clock }: DeleteAccountDeps,
  accountId: string,
): Promise<boolean> {
  const { deleted, withBytes } = await uploadStore.deleteOfAccount(tx, { accountId, limit: batchSize });
  const targets = uploadTargets(withBytes, clock.date()).map((one) => ({
    ...one,
    target: uploadPrefixOf(accountId),
  }));
  await erasureStore.add(tx, targets);
  return deleted > 0;
}
