/** Webhook subscriptions and events as they go over the wire. */
import { z } from 'zod';
import { documentedAs } from './documented-form.ts';
import { protectedErrors } from './envelope.ts';
import type { ErrorCode } from './errors.ts';
import { exampleAnswers } from './example-answers.ts';
import { requestFaults } from './request-faults.ts';
import { requestText } from './request-text.ts';
import { wholeSeconds } from './transcription.ts';

export const eventTypes = ['transcription.completed', 'transcription.failed'] as const;
export type EventType = (typeof eventTypes)[number];

export const receiverUrlCharactersMax = 2_048;
export const activeSubscriptionsMax = 20;

const eventType = z.enum(eventTypes);
const eventSelection = z
  .array(eventType)
  .min(1)
  .max(eventTypes.length)
  .refine((events) => new Set(events).size === events.length, 'each type at most once')
  .meta({
    uniqueItems: true,
    description: 'One or both event types, each once.',
    examples: [['transcription.completed', 'transcription.failed']],
  });

const createOrder = [
  'invalid_request',
  'invalid_webhook_url',
  'invalid_webhook_events',
  'webhooks_unavailable',
  'webhook_subscription_limit_reached',
] as const satisfies ErrorCode[];

export const createSubscriptionErrors = [...createOrder, 'request_too_large', ...protectedErrors] as const;
export const deleteSubscriptionErrors = ['not_found', ...protectedErrors] as const;

const receiverUrl = requestText(receiverUrlCharactersMax).meta({
  format: 'uri',
  description:
    'Public HTTPS receiver on port 443 without credentials or fragment. It must answer without a redirect.',
  examples: ['https://example.com/hooks/longhand'],
});

const createSubscriptionForm = z.object({ url: receiverUrl, events: eventSelection }).meta({
  title: 'Subscription to create',
  examples: [{ url: 'https://example.com/hooks/longhand', events: [...eventTypes] }],
});

/** `events` is read by `createSubscriptionCommand`, because a request with both faults hears of the url. */
export const createSubscriptionBody = documentedAs(
  createSubscriptionForm,
  z.object({ url: receiverUrl, events: z.unknown().optional() }).register(requestFaults, {
    order: createOrder,
    ofField: ([field]) => (field === 'url' ? 'invalid_webhook_url' : 'invalid_request'),
  }),
);

export interface CreateSubscriptionCommand {
  url: string;
  events: EventType[];
}

/**
 * A malformed selection counts as an empty one, which no subscription accepts: the url must be judged first, which
 * may ask the name service.
 */
export function createSubscriptionCommand(
  body: z.infer<typeof createSubscriptionBody>,
): CreateSubscriptionCommand {
  const selection = eventSelection.safeParse(body.events);
  return { url: body.url, events: selection.success ? selection.data : [] };
}

const subscriptionFields = {
  id: z.uuid(),
  events: z.array(eventType),
  status: z.enum(['active', 'disabled']).describe('Disabled after the receiver answered 410 Gone'),
  created_at: z.iso.datetime().describe('UTC'),
  disabled_at: z.iso.datetime().nullable().describe('UTC; null while active'),
};

export const createdSubscription = z
  .object({
    ...subscriptionFields,
    url: z.string().meta({ format: 'uri', description: 'As it was given' }),
    signing_secret: z
      .string()
      .meta({ description: 'Begins with whsec_. Shown here once; verify each delivery with it.' }),
  })
  .meta({ id: 'CreatedWebhookSubscription', examples: [exampleAnswers.createdSubscription] });

export const listedSubscription = z
  .object({
    ...subscriptionFields,
    url: z
      .string()
      .meta({ description: 'Only the origin, followed by an ellipsis.', examples: ['https://example.com…'] }),
  })
  .meta({ id: 'WebhookSubscription', examples: [exampleAnswers.listedSubscription] });

export const webhookEvent = z
  .object({
    id: z.uuid().describe('Of the event; equals the header webhook-id at every attempt'),
    type: eventType,
    created_at: z.iso.datetime().describe('UTC time at which the job ended'),
    data: z.object({
      id: z.uuid().describe('Of the job'),
      filename: z.string().describe('Uploaded filename, or a label derived from the link'),
      status: z.enum(['completed', 'failed']).describe('Matches the type'),
      duration_seconds: z.int().nullable().describe('Detected length in whole seconds, when available'),
      resource_url: z.url().describe('The job; fetch it with a key of the same account'),
    }),
  })
  .meta({ id: 'WebhookEvent', examples: [exampleAnswers.webhookEvent] });

export interface Subscription {
  id: string;
  accountId: string;
  url: string;
  events: EventType[];
  status: 'active' | 'disabled';
  createdAt: Date;
  disabledAt: Date | null;
}

export function createdSubscriptionOnWire(
  subscription: Subscription,
  signingSecret: string,
): z.infer<typeof createdSubscription> {
  return { ...wireFields(subscription), url: subscription.url, signing_secret: signingSecret };
}

export function listedSubscriptionOnWire(subscription: Subscription): z.infer<typeof listedSubscription> {
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
export function eventBody(event: TerminalEvent): string {
  const payload: z.infer<typeof webhookEvent> = {
    id: event.id,
    type: event.type,
    created_at: event.createdAt.toISOString(),
    data: {
      id: event.transcriptionId,
      filename: event.filename,
      status: event.type === 'transcription.completed' ? 'completed' : 'failed',
      duration_seconds: wholeSeconds(event.durationSeconds),
      resource_url: event.resourceUrl,
    },
  };
  return JSON.stringify(payload);
}
