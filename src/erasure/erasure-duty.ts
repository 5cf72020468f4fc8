import type { Database } from '../platform/database/database.ts';
import { type Duty, startDuty } from '../platform/database/duty.ts';
import { runExclusively } from '../platform/database/exclusive.ts';
import { idempotencyStore } from '../transcription/admission/idempotency-store.ts';
import { chunkStore } from '../transcription/step/chunk-store.ts';
import { eventStore } from '../webhook/event-store.ts';
import { type DeleteAccountDeps, eraseAccount } from './delete-account.ts';
import { eraseObjects } from './erase-objects.ts';

export interface ErasureDutyDeps extends DeleteAccountDeps {
  db: Database;
}

const everyMs = 60_000;

/** Finishes what a crash or a silent storage interrupted, and forgets what has served, as long as the service runs. */
export function startErasureDuty(deps: ErasureDutyDeps): Duty {
  return startDuty(deps.clock, everyMs, async () => {
    try {
      await runExclusively(deps, 'erasure', () => finishErasures(deps));
    } catch (error) {
      deps.logger.warn({ err: error }, 'deleted things could not all be erased; trying again');
    }
  });
}

export async function finishErasures(deps: ErasureDutyDeps): Promise<void> {
  const { db, accounts } = deps;
  for (const id of await accounts.listDeleted(db)) await eraseAccount(deps, id);
  await eraseObjects(deps);
  await eventStore.deleteSettledOfDeletedJobs(db);
  await chunkStore.deleteOfEnded(db);
  await idempotencyStore.forgetExpired(db);
}
