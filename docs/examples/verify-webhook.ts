import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceSeconds = 300;

/** Throws unless `body` (the raw bytes) was signed with `secret` just now; gives the event. */
export function verifyWebhook(
  secret: string,
  headers: Record<string, string | undefined>,
  body: Buffer,
): unknown {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !timestamp || !signatures) throw new Error('a webhook header is missing');
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new Error('the timestamp is too far from now');
  }
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  const isSigned = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.startsWith('v1,') ? signature.slice(3) : '', 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned) throw new Error('the signature does not fit');
  return JSON.parse(body.toString('utf8'));
}
