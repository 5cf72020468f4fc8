import { ApiError } from '../contract/errors.ts';
import { listedSubscriptionOnWire } from '../contract/webhook.ts';
import { PublicUrl } from '../http/public-url.ts';
import { secretBoxOf } from '../service/foundation.ts';
import type { LoggedAttempt, LoggedDelivery } from '../webhook/delivery-log-store.ts';
import { listDeliveriesAsOperator } from '../webhook/list-deliveries.ts';
import { replayDeliveryAsOperator } from '../webhook/replay-delivery.ts';
import { resealSecrets } from '../webhook/secret-keys.ts';
import { sendTestEventAsOperator } from '../webhook/send-test-event.ts';
import { subscriptionStore } from '../webhook/subscription-store.ts';
import { onFoundation, print, table } from './command-context.ts';
import { optionalId, wholeNumber } from './option-value.ts';
import { UsageError } from './usage-error.ts';

interface Output {
  json?: boolean;
}

const shownDeliveries = 20;

export async function listWebhooks(options: Output & { account?: string }): Promise<void> {
  const accountId = optionalId('--account', options.account);
  await onFoundation(async ({ db }) => {
    const subscriptions = await subscriptionStore.list(db, accountId);
    const value = subscriptions.map((one) => ({
      ...listedSubscriptionOnWire(one),
      account_id: one.accountId,
    }));
    print({ subscriptions: value }, options, () =>
      table([
        ['ID', 'ACCOUNT', 'STATUS', 'CREATED', 'RECEIVER', 'EVENTS'],
        ...value.map((one) => [
          one.id,
          one.account_id,
          one.status,
          one.created_at,
          one.url,
          one.events.join(', '),
        ]),
      ]),
    );
  });
}

export async function listWebhookDeliveries(
  options: Output & { account?: string; subscription?: string; limit?: string },
): Promise<void> {
  const accountId = optionalId('--account', options.account);
  const subscriptionId = optionalId('--subscription', options.subscription);
  const limit = wholeNumber('--limit', options.limit, { min: 1, max: 1_000, otherwise: shownDeliveries });
  await onFoundation(async ({ db }) => {
    const deliveries = await listDeliveriesAsOperator({ db }, { accountId, subscriptionId, limit });
    print({ deliveries: deliveries.map(deliveryOnWire) }, options, () => deliveries.flatMap(deliveryLines));
  });
}

export async function testWebhook(subscription: string, options: Output): Promise<void> {
  const subscriptionId = optionalId('The subscription', subscription) ?? '';
  await onFoundation(async ({ db, config }) => {
    const publicUrl = new PublicUrl(config).base;
    const { eventId } = await orNotFound(
      sendTestEventAsOperator({ db, publicUrl }, subscriptionId),
      `There is no active subscription ${subscription}. "longhand webhook list" shows them.`,
    );
    print({ event_id: eventId }, options, () => [
      `The test event ${eventId} is queued; a running service delivers it at once.`,
      `See what came of it with: longhand webhook deliveries --subscription ${subscription}`,
    ]);
  });
}

export async function replayWebhook(deliveryId: string, options: Output): Promise<void> {
  await onFoundation(async ({ db }) => {
    await orNotFound(
      replayDeliveryAsOperator({ db }, deliveryId),
      `There is no ended delivery ${deliveryId} to an active subscription. "longhand webhook deliveries" shows them.`,
    );
    print({ delivery_id: deliveryId }, options, () => [
      `The delivery ${deliveryId} is queued again, with the same event id and body.`,
    ]);
  });
}

export async function resealWebhooks(options: Output): Promise<void> {
  await onFoundation(async (foundation) => {
    const secretBox = await secretBoxOf(foundation);
    if (!secretBox) throw new UsageError('There is no key to seal with: set LONGHAND_SECRET_KEY.');
    const resealed = await resealSecrets({ db: foundation.db, secretBox });
    print({ resealed, key_id: secretBox.newestKeyId }, options, () => [
      `${resealed} signing secrets were sealed again; all are under the newest key now.`,
    ]);
  });
}

async function orNotFound<Result>(work: Promise<Result>, sentence: string): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') throw new UsageError(sentence);
    throw error;
  }
}

function deliveryOnWire(delivery: LoggedDelivery) {
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    type: delivery.type,
    transcription_id: delivery.transcriptionId,
    subscription_id: delivery.subscriptionId,
    receiver: delivery.receiver,
    state: delivery.state,
    created_at: delivery.createdAt.toISOString(),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    ended_at: delivery.endedAt?.toISOString() ?? null,
    attempts: delivery.attempts.map((attempt) => ({
      round: attempt.round,
      number: attempt.number,
      started_at: attempt.startedAt,
      duration_ms: attempt.durationMs,
      status_code: attempt.statusCode,
      error: attempt.error,
      next_attempt_at: attempt.nextAttemptAt,
    })),
  };
}

function deliveryLines(delivery: LoggedDelivery): string[] {
  const { id, state, type, receiver, eventId, nextAttemptAt } = delivery;
  const next = nextAttemptAt ? `, next attempt ${nextAttemptAt.toISOString()}` : '';
  return [
    `${id}  ${state}  ${type}  ${receiver}  event ${eventId}${next}`,
    ...delivery.attempts.map(attemptLine),
  ];
}

function attemptLine({ number, startedAt, statusCode, error, durationMs }: LoggedAttempt): string {
  return `    attempt ${number}  ${startedAt}  ${statusCode ?? error}  ${durationMs} ms`;
}
