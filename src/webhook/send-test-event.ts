import { randomUUID } from 'node:crypto';
import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import { eventBody, type Subscription } from '../contract/webhook.ts';
import type { Database } from '../platform/database/database.ts';
import { eventStore } from './event-store.ts';
import { resourceUrl } from './record-terminal-event.ts';
import { subscriptionStore } from './subscription-store.ts';

export interface SendTestEventDeps {
  db: Database;
  publicUrl: string;
}

/**
 * A real delivery of an invented event, so that a receiver can be tried. It has a type that the subscription chose,
 * because receivers refuse any other; its job does not exist.
 */
export async function sendTestEvent(
  deps: SendTestEventDeps,
  { account }: Principal,
  subscriptionId: string,
): Promise<{ eventId: string }> {
  const subscription = await subscriptionStore.find(deps.db, subscriptionId);
  return await sendTo(deps, subscription?.accountId === account.id ? subscription : undefined);
}

/** To a subscription of any account. */
export async function sendTestEventAsOperator(
  deps: SendTestEventDeps,
  subscriptionId: string,
): Promise<{ eventId: string }> {
  return await sendTo(deps, await subscriptionStore.find(deps.db, subscriptionId));
}

async function sendTo(
  { db, publicUrl }: SendTestEventDeps,
  subscription: Subscription | undefined,
): Promise<{ eventId: string }> {
  const [type] = subscription?.events ?? [];
  if (subscription?.status !== 'active' || !type) throw new ApiError('not_found');
  const { id: subscriptionId, accountId, url } = subscription;
  const id = randomUUID();
  const transcriptionId = randomUUID();
  await db.transaction(async (tx) => {
    const body = eventBody({
      id,
      type,
      createdAt: await eventStore.now(tx),
      transcriptionId,
      filename: 'webhook-test.mp3',
      durationSeconds: type === 'transcription.completed' ? 60 : null,
      resourceUrl: resourceUrl(publicUrl, transcriptionId),
    });
    await eventStore.add(tx, { id, accountId, transcriptionId: null, type, body });
    await eventStore.addDeliveries(tx, {
      eventId: id,
      receivers: [{ subscriptionId, url }],
      firstDelayMs: 0,
    });
  });
  return { eventId: id };
}
