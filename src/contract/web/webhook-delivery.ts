/** The log of webhook deliveries. */
import { z } from 'zod';
import { webRequest } from './web-request.ts';

export const deliveriesQuery = webRequest(z.object({ subscription: z.guid().optional() }));

interface DeliveryFields {
  id: string;
  type: string;
  subscriptionId: string;
  receiver: string;
  state: string;
  body: string;
  createdAt: Date;
  nextAttemptAt: Date | null;
  attempts: readonly {
    startedAt: string;
    durationMs: number | null;
    statusCode: number | null;
    error: string | null;
    answer?: string;
  }[];
}

export function deliveryOnWire(delivery: DeliveryFields) {
  return {
    id: delivery.id,
    type: delivery.type,
    subscription_id: delivery.subscriptionId,
    receiver: delivery.receiver,
    state: delivery.state,
    body: delivery.body,
    created_at: delivery.createdAt.toISOString(),
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    attempts: delivery.attempts.map((attempt) => ({
      started_at: attempt.startedAt,
      duration_ms: attempt.durationMs,
      status_code: attempt.statusCode,
      error: attempt.error,
      answer: attempt.answer ?? null,
    })),
  };
}

export function testEventOnWire({ eventId }: { eventId: string }) {
  return { event_id: eventId };
}
