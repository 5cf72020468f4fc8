/**
 * One delivery, typed by step: claimed, signed, sent, settled. Each step is made from the one
 * before it, so nothing can be stored as done that was not sent.
 */

import type { KeyObject } from 'node:crypto';
import { nextDelayMs, type RetrySchedule, retryAfterMs } from './retry-schedule.ts';
import { signature } from './signature.ts';

/** Held by this process until the lease ends. */
export interface ClaimedDelivery {
  id: string;
  leaseId: string;
  subscriptionId: string;
  eventId: string;
  url: string;
  sealedSecret: string;
  body: string;
  /** Which attempt of this round it is, beginning with 1. */
  attempt: number;
  /** By the clock of the database: when the attempt began. */
  claimedAt: Date;
}

export interface SignedRequest {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

export type AttemptOutcome =
  /** `body`: the beginning of what the receiver said, for the log. */
  | { kind: 'answered'; statusCode: number; retryAfter: string | undefined; body?: string | undefined }
  /** No answer; `error` is a short word for the log. */
  | { kind: 'failed'; error: string };

export interface AttemptedDelivery {
  delivery: ClaimedDelivery;
  durationMs: number;
  outcome: AttemptOutcome;
}

export type Settlement =
  | { state: 'delivered' }
  | { state: 'retry'; delayMs: number }
  | { state: 'exhausted' }
  /** The receiver answered 410: the subscription is disabled. */
  | { state: 'gone' };

export interface SettledDelivery extends AttemptedDelivery {
  settlement: Settlement;
}

const userAgent = 'Longhand-Webhooks/1';

/** Timestamp and signature are fresh at each attempt; id and body stay the same. */
export function signDelivery(
  delivery: Pick<ClaimedDelivery, 'url' | 'eventId' | 'body' | 'claimedAt'>,
  key: KeyObject,
): SignedRequest {
  const body = Buffer.from(delivery.body, 'utf8');
  const timestampSeconds = Math.floor(delivery.claimedAt.getTime() / 1_000);
  return {
    url: delivery.url,
    body,
    headers: {
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': userAgent,
      'webhook-id': delivery.eventId,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signature({ key, eventId: delivery.eventId, timestampSeconds, body }),
    },
  };
}

export function settleDelivery(
  attempted: AttemptedDelivery,
  { schedule, random }: { schedule: RetrySchedule; random: () => number },
): SettledDelivery {
  const { outcome, delivery, durationMs } = attempted;
  const endedMs = delivery.claimedAt.getTime() + durationMs;
  if (outcome.kind === 'answered') {
    if (outcome.statusCode >= 200 && outcome.statusCode < 300) {
      return { ...attempted, settlement: { state: 'delivered' } };
    }
    if (outcome.statusCode === 410) return { ...attempted, settlement: { state: 'gone' } };
  }
  const delayMs = nextDelayMs(schedule, {
    attempts: delivery.attempt,
    retryAfterMs: outcome.kind === 'answered' ? retryAfterMs(outcome.retryAfter, endedMs) : undefined,
    random,
  });
  if (delayMs === undefined) return { ...attempted, settlement: { state: 'exhausted' } };
  return { ...attempted, settlement: { state: 'retry', delayMs } };
}
