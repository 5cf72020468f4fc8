import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Everything that a signed URL of the local storage promises; a change of any of it breaks the signature. */
export interface LocalGrant {
  method: string;
  key: string;
  sizeBytes: number;
  /** Only a single PUT fixes the type; a part has none, as on S3. */
  contentType: string | undefined;
  uploadId: string | undefined;
  partNumber: number | undefined;
  /** Seconds since the epoch. */
  expiresAt: number;
}

/** The key is a KeyObject: from a Buffer one is made for each signature, which takes eight times as long. */
export function localSignature(signingKey: KeyObject, grant: LocalGrant): string {
  // JSON keeps the fields apart: no two grants have the same text.
  const text = JSON.stringify([
    'longhand-local-v1',
    grant.method,
    grant.key,
    grant.sizeBytes,
    grant.contentType ?? null,
    grant.uploadId ?? null,
    grant.partNumber ?? null,
    grant.expiresAt,
  ]);
  return createHmac('sha256', signingKey).update(text).digest('hex');
}

export function isLocalSignature(signingKey: KeyObject, grant: LocalGrant, signature: string): boolean {
  const expected = Buffer.from(localSignature(signingKey, grant));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
