/** One attempt: the secret opened, the request signed and sent, the answer judged. */
import type { KeyObject } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import { type ClaimedDelivery, type SettledDelivery, settleDelivery, signDelivery } from './delivery.ts';
import type { RetrySchedule } from './retry-schedule.ts';
import type { SendWebhook } from './send-webhook.ts';
import type { SigningKeys } from './subscription-secret.ts';

/** A secret that cannot be opened is the operator's to repair; it costs the receiver no attempt. */
const unreadableSecretDelayMs = 60_000;

export interface AttemptDeps {
  clock: Clock;
  logger: Logger;
  keys: SigningKeys;
  send: SendWebhook;
  schedule: RetrySchedule;
  random: () => number;
  /** Ends requests that are under way; they count as failed. */
  stopping: AbortSignal;
}

/** Nothing was sent: the delivery is pending again and due after this time. */
export interface Unattempted {
  delayMs: number;
}

export async function attemptDelivery(
  delivery: ClaimedDelivery,
  { clock, logger, keys, send, schedule, random, stopping }: AttemptDeps,
): Promise<SettledDelivery | Unattempted> {
  const { id: deliveryId, subscriptionId } = delivery;
  let key: KeyObject;
  try {
    key = keys.of(delivery);
  } catch (error) {
    logger.error({ err: error, subscriptionId }, 'a webhook secret could not be opened');
    return { delayMs: unreadableSecretDelayMs };
  }
  const startedMs = clock.now();
  const outcome = await send(signDelivery(delivery, key), stopping);
  const durationMs = Math.max(0, clock.now() - startedMs);
  const settled = settleDelivery({ delivery, durationMs, outcome }, { schedule, random });
  if (settled.settlement.state === 'exhausted') {
    logger.warn({ deliveryId, subscriptionId }, 'a webhook delivery failed at its last attempt');
  }
  return settled;
}
