/** Webhook subscriptions and events as they go over the wire. */
import { z } from 'zod';
import { ApiError } from './errors.ts';

export const eventTypes = ['transcription.completed', 'transcription.failed'] as const;
export type EventType = (typeof eventTypes)[number];

export const receiverUrlCharactersMax = 2_048;
export const activeSubscriptionsMax = 20;

const eventType = z.enum(eventTypes);
const eventSelection = z
  .array(eventType)
  .min(1)
  .max(eventTypes.length)
  .refine((events) => new Set(events).size === events.length, 'each type at most once');

export const createSubscriptionBody = z
  .object({
    url: z.url().max(receiverUrlCharactersMax).meta({
      description:
        'Public HTTPS receiver on port 443 without credentials or fragment. It must answer without a redirect.',
      example: 'https://example.com/hooks/longhand',
    }),
    events: eventSelection.meta({ description: 'One or both event types, each once.' }),
  })
  .meta({ id: 'CreateWebhookSubscription' });

const subscriptionFields = {
  id: z.uuid(),
  events: z.array(eventType),
  status: z.enum(['active', 'disabled']),
  created_at: z.iso.datetime(),
  disabled_at: z.iso.datetime().nullable(),
};

export const createdSubscription = z
  .object({
    ...subscriptionFields,
    url: z.string(),
    signing_secret: z
      .string()
      .meta({ description: 'Shown here once. Verify each delivery with it.', example: 'whsec_…' }),
  })
  .meta({ id: 'CreatedWebhookSubscription' });

export const listedSubscription = z
  .object({
    ...subscriptionFields,
    url: z.string().meta({ description: 'Only the origin, followed by an ellipsis.', example: 'https://example.com…' }),
  })
  .meta({ id: 'WebhookSubscription' });

export const webhookEvent = z
  .object({
    id: z.uuid(),
    type: eventType,
    created_at: z.iso.datetime(),
    data: z.object({
      id: z.uuid(),
      filename: z.string(),
      status: z.enum(['completed', 'failed']),
      duration_seconds: z.int().nullable(),
      resource_url: z.url(),
    }),
  })
  .meta({ id: 'WebhookEvent' });

export interface Subscription {
  id: string;
  accountId: string;
  url: string;
  events: EventType[];
  status: 'active' | 'disabled';
  createdAt: Date;
  disabledAt: Date | null;
}

/** The fields of a create request, in the order in which they are judged: a JSON object, then the url, then the events. */
export function readCreateSubscription(body: unknown): { url: unknown; events: unknown } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new ApiError('invalid_request');
  const { url, events } = body as Record<string, unknown>;
  return { url, events };
}

export function readEventSelection(events: unknown): EventType[] {
  const parsed = eventSelection.safeParse(events);
  if (!parsed.success) throw new ApiError('invalid_webhook_events');
  return parsed.data;
}

export function toCreatedSubscription(
  subscription: Subscription,
  signingSecret: string,
): z.infer<typeof createdSubscription> {
  return { ...wireFields(subscription), url: subscription.url, signing_secret: signingSecret };
}

export function toListedSubscription(subscription: Subscription): z.infer<typeof listedSubscription> {
  return { ...wireFields(subscription), url: maskedUrl(subscription.url) };
}

function wireFields({ id, events, status, createdAt, disabledAt }: Subscription) {
  return {
    id,
    events,
    status,
    created_at: createdAt.toISOString(),
    disabled_at: disabledAt?.toISOString() ?? null,
  };
}

/** The origin and an ellipsis: a path or query may hold a token of the receiver. */
export function maskedUrl(url: string): string {
  return `${new URL(url).origin}…`;
}

export interface TerminalEvent {
  id: string;
  type: EventType;
  createdAt: Date;
  transcriptionId: string;
  filename: string;
  durationSeconds: number | null;
  resourceUrl: string;
}

/** The thin payload. It never holds text, segments or the error of the job. */
export function toEventBody(event: TerminalEvent): string {
  const payload: z.infer<typeof webhookEvent> = {
    id: event.id,
    type: event.type,
    created_at: event.createdAt.toISOString(),
    data: {
      id: event.transcriptionId,
      filename: event.filename,
      status: event.type === 'transcription.completed' ? 'completed' : 'failed',
      duration_seconds: event.durationSeconds === null ? null : Math.round(event.durationSeconds),
      resource_url: event.resourceUrl,
    },
  };
  return JSON.stringify(payload);
}
