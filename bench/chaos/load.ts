/** Accounts that send jobs as patient clients do, and a receiver that hears of them. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import { verified, type WebhookReceiver } from '../../test/support/webhook-receiver.ts';
import type { ChaosFleet } from './fleet.ts';

const fixtures = join(import.meta.dirname, '..', '..', 'test', 'fixtures');
/** What is said in each. */
export const clips: Record<string, RegExp> = {
  'austen-880.flac': /not an ill[- ]disposed young man/i,
  'austen-870.flac': /leisure to consider how much/i,
  'austen-930.flac': /been made amiable himself/i,
};

export interface ChaosAccount {
  id: string;
  key: string;
  secret: string;
}

export interface SentJob {
  id: string;
  account: ChaosAccount;
  clip: string;
}

export interface Heard {
  eventId: string;
  jobId: string;
}

/** Asks until somebody answers; what is wrong with the request itself is thrown. */
export async function patiently(
  fleet: ChaosFleet,
  random: Random,
  path: string,
  options: { key: string; method?: string; body?: unknown; idempotencyKey?: string },
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON there is.
): Promise<any> {
  const apis = fleet.members.filter(({ role }) => role === 'api');
  for (let tries = 0; ; tries += 1) {
    const { url } = random.pick(apis);
    try {
      const response = await fetch(url + path, {
        method: options.method ?? (options.body === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: `Bearer ${options.key}`,
          ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
        },
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
        signal: AbortSignal.timeout(20_000),
      });
      const answer = await response.json();
      if (response.ok) return answer;
      if (response.status < 500 && response.status !== 429)
        throw new Refused(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    } catch (error) {
      if (error instanceof Refused || tries > 600) throw error;
    }
    await delay(500);
  }
}

class Refused extends Error {}

/** Sends jobs until the time is over, as late after the last one as drawn, or at once when that took longer; gives those that were acknowledged. */
export async function sendJobs(
  fleet: ChaosFleet,
  account: ChaosAccount,
  random: Random,
  { endsAtMs, jobsMax, betweenMs }: { endsAtMs: number; jobsMax: number; betweenMs: number },
): Promise<SentJob[]> {
  const sent: SentJob[] = [];
  let nextAtMs = Date.now();
  while (nextAtMs < endsAtMs && Date.now() < endsAtMs && sent.length < jobsMax) {
    await delay(Math.max(0, nextAtMs - Date.now()));
    nextAtMs += random.integer(0, betweenMs);
    const clip = random.pick(Object.keys(clips));
    const bytes = await readFile(join(fixtures, clip));
    const upload = await uploaded(fleet, account, random, clip, bytes);
    const body = { upload };
    const { data } = await patiently(fleet, random, '/api/v1/transcriptions', {
      key: account.key,
      body,
      idempotencyKey: randomUUID(),
    });
    sent.push({ id: data.id, account, clip });
  }
  return sent;
}

async function uploaded(
  fleet: ChaosFleet,
  { key }: ChaosAccount,
  random: Random,
  filename: string,
  bytes: Buffer<ArrayBuffer>,
): Promise<object> {
  for (let tries = 0; ; tries += 1) {
    const body = { filename, size: bytes.length };
    const { data } = await patiently(fleet, random, '/api/v1/uploads', { key, body });
    const { url, method, headers } = data.upload;
    const put = await fetch(url, { method, headers, body: bytes, signal: AbortSignal.timeout(20_000) }).catch(
      () => undefined,
    );
    if (put?.ok)
      return {
        filename,
        key: data.key,
        storage: data.storage,
        size: bytes.length,
        content_type: data.content_type,
      };
    if (tries > 100) throw new Error('an upload never arrived');
    await delay(500);
  }
}

/** Every event that came, by the secret that signed it; throws on one that nobody signed. */
export function heardBy(receiver: WebhookReceiver, accounts: readonly ChaosAccount[]): Heard[] {
  return receiver.received.map((received) => {
    for (const { secret } of accounts) {
      try {
        const event = verified(received, secret) as { id: string; data: { id: string } };
        return { eventId: event.id, jobId: event.data.id };
      } catch {
        // Another account's.
      }
    }
    throw new Error('an event came with a signature of nobody');
  });
}
