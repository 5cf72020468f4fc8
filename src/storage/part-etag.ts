import { createHash } from 'node:crypto';

/** Clients may keep or drop the quotes of an ETag. */
export function plainEtag(etag: string): string {
  return etag
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase();
}

/** The ETag that S3 gives to an object of several parts: MD5 of the parts' ETags, and their number. */
export function multipartEtag(etags: readonly string[]): string {
  const hash = createHash('md5');
  for (const etag of etags) hash.update(Buffer.from(plainEtag(etag), 'hex'));
  return `${hash.digest('hex')}-${etags.length}`;
}
