import { randomUUID } from 'node:crypto';
import { eventBody } from '../contract/webhook.ts';
import type { Queryable } from '../platform/database/database.ts';
import { eventStore } from './event-store.ts';
import type { RetrySchedule } from './retry-schedule.ts';

export interface TerminalJob {
  id: string;
  accountId: string;
  filename: string;
  status: 'completed' | 'failed';
  durationSeconds: number | null;
}

/**
 * Called inside the transaction that ends a job: writes its one event and a delivery for each active subscription
 * that chose the type. A job that is not ended leaves no event; an ended one cannot lack it.
 */
export async function recordTerminalEvent(
  tx: Queryable,
  job: TerminalJob,
  { publicUrl, schedule }: { publicUrl: string; schedule: RetrySchedule },
): Promise<{ deliveries: number }> {
  const id = randomUUID();
  const type = `transcription.${job.status}` as const;
  const body = eventBody({
    id,
    type,
    createdAt: await eventStore.now(tx),
    transcriptionId: job.id,
    filename: job.filename,
    durationSeconds: job.durationSeconds,
    resourceUrl: resourceUrl(publicUrl, job.id),
  });
  const added = await eventStore.add(tx, {
    id,
    accountId: job.accountId,
    transcriptionId: job.id,
    type,
    body,
  });
  if (!added) return { deliveries: 0 };
  const receivers = await eventStore.lockReceivers(tx, { accountId: job.accountId, type });
  const [firstDelayMs = 0] = schedule.stepsMs;
  await eventStore.addDeliveries(tx, { eventId: id, receivers, firstDelayMs });
  return { deliveries: receivers.length };
}

export function resourceUrl(publicUrl: string, transcriptionId: string): string {
  return `${publicUrl}/api/v1/transcriptions/${transcriptionId}`;
}
