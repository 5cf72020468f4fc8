/** Standard Webhooks signatures, made on the exact bytes that are sent. */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

const secretPrefix = 'whsec_';
const secretBytes = 32;

export function newSigningSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64');
}

/** The key inside a signing secret. */
export function signingKey(secret: string): KeyObject {
  if (!secret.startsWith(secretPrefix)) throw new Error('a signing secret starts with whsec_');
  return createSecretKey(Buffer.from(secret.slice(secretPrefix.length), 'base64'));
}

/** The value of `webhook-signature` for one attempt. */
export function signature(attempt: {
  key: KeyObject;
  eventId: string;
  timestampSeconds: number;
  body: Uint8Array;
}): string {
  const { key, eventId, timestampSeconds, body } = attempt;
  if (!Number.isSafeInteger(timestampSeconds)) throw new Error('the timestamp must be whole seconds');
  const digest = createHmac('sha256', key)
    .update(`${eventId}.${timestampSeconds}.`, 'utf8')
    .update(body)
    .digest('base64');
  return `v1,${digest}`;
}
