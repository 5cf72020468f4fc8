/** What the deletion of a job or an account stands on, in the service and at the command line. */
import { Allowance } from '../account/allowance.ts';
import type { DeleteAccountDeps } from '../erasure/delete-account.ts';
import type { TaskQueue } from '../platform/queue/queue.ts';
import type { Foundation } from './foundation.ts';
import type { Storage } from './processing.ts';
import type { Webhooks } from './webhooks.ts';

export function erasureDeps(
  { db, clock, logger, accounts }: Foundation,
  { stores }: Pick<Storage, 'stores'>,
  { recordEnd, afterEnd }: Pick<Webhooks, 'recordEnd' | 'afterEnd'>,
  /** Undefined in a command. */
  queue: TaskQueue | undefined,
): DeleteAccountDeps {
  const admission = queue && { queue, accounts };
  const allowance = new Allowance(clock);
  return { db, clock, logger, accounts, stores, allowance, admission, recordEnd, afterEnd };
}
