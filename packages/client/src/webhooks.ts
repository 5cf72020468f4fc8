import { LonghandError } from './error.ts';
import type { Transport } from './transport.ts';
import type {
  CallOptions,
  CreatedWebhookSubscription,
  WebhookEvent,
  WebhookEventType,
  WebhookSubscription,
} from './type.ts';

const path = '/api/v1/webhook-subscriptions';
const toleranceSeconds = 300;

export class Webhooks {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  create(
    request: { url: string; events: WebhookEventType[] },
    options?: CallOptions,
  ): Promise<CreatedWebhookSubscription> {
    return this.#transport.request('POST', path, { body: request, ...options });
  }

  list(options?: CallOptions): Promise<WebhookSubscription[]> {
    return this.#transport.request('GET', path, options);
  }

  delete(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.request('DELETE', `${path}/${encodeURIComponent(id)}`, options);
  }
}

export interface VerifyOptions {
  // Several while a secret is being replaced.
  secret: string | readonly string[];
  now?: Date;
}

/** The event of a delivery, or an error `invalid_signature`. `body`: the raw bytes or text. */
export async function verifyWebhook(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Headers | Record<string, string | string[] | undefined>,
  options: VerifyOptions,
): Promise<WebhookEvent> {
  const { secret, now = new Date() } = options;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!id || !/^\d{1,12}$/.test(timestamp) || !signatures) throw refused('the headers are missing');
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) throw refused('it is too old');
  const raw = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = Uint8Array.from([...new TextEncoder().encode(`${id}.${timestamp}.`), ...raw]);
  const given = signatures.split(' ').flatMap((entry) => (entry.startsWith('v1,') ? [entry.slice(3)] : []));
  for (const one of [secret].flat()) {
    for (const signature of given) {
      if (await matches(one, signature, signed)) return eventOf(raw, id);
    }
  }
  throw refused('the signature is not right');
}

async function matches(secret: string, signature: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  try {
    const raw = bytesOf(secret.replace(/^whsec_/, ''));
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ]);
    return await crypto.subtle.verify('HMAC', key, bytesOf(signature), signed); // Compares in constant time.
  } catch {
    return false;
  }
}

function eventOf(raw: Uint8Array, id: string): WebhookEvent {
  const event = JSON.parse(new TextDecoder().decode(raw)) as WebhookEvent;
  if (event.id !== id || event.type !== `transcription.${event.data?.status}`) {
    throw refused('the event contradicts itself');
  }
  return event;
}

function headerOf(headers: Parameters<typeof verifyWebhook>[1], name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return (Array.isArray(found) ? found[0] : found) ?? '';
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function refused(reason: string): LonghandError {
  return new LonghandError(`This delivery cannot be trusted: ${reason}.`, { code: 'invalid_signature' });
}
