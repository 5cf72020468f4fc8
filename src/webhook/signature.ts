/** Standard Webhooks signatures, made on the exact bytes that are sent. */
import { createHmac, randomBytes } from 'node:crypto';

const secretPrefix = 'whsec_';
const secretBytes = 32;

export function newSigningSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64');
}

/** The value of `webhook-signature` for one attempt. */
export function signature(attempt: {
  secret: string;
  eventId: string;
  timestampSeconds: number;
  body: Uint8Array;
}): string {
  const { secret, eventId, timestampSeconds, body } = attempt;
  if (!secret.startsWith(secretPrefix)) throw new Error('a signing secret starts with whsec_');
  if (!Number.isSafeInteger(timestampSeconds)) throw new Error('the timestamp must be whole seconds');
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  const digest = createHmac('sha256', key)
    .update(`${eventId}.${timestampSeconds}.`, 'utf8')
    .update(body)
    .digest('base64');
  return `v1,${digest}`;
}
