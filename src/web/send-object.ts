/** A stored object as an answer: media from the store itself where it can, else from here, whole or a range of it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../contract/errors.ts';
import { type ByteRange, NoSuchObject, type ObjectStores, type StorageId } from '../storage/object-store.ts';

/** Short, because it also outlives a revoked link; a player that is refused asks here again. */
const signedSeconds = 3600;

export interface SentObject {
  storage: StorageId;
  key: string;
  /** Of media that a player asks for; absent for what a script of the page reads, which no other origin need allow. */
  contentType?: string;
}

export async function sendObject(
  stores: ObjectStores,
  { storage, key, contentType }: SentObject,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const store = stores.get(storage);
  if (!store) throw new ApiError('not_found');
  if (contentType !== undefined) {
    const url = await store.signGet({ key, contentType, expiresInSeconds: signedSeconds });
    if (url !== undefined) return reply.redirect(url, 302);
  }
  const found = await store.head(key);
  if (!found) throw new ApiError('not_found');
  const { sizeBytes, etag } = found;
  reply.headers({
    'content-type': contentType ?? 'application/octet-stream',
    'accept-ranges': 'bytes',
    // Somebody's file: whatever is in it, a browser only plays it.
    'content-security-policy': "default-src 'none'; sandbox",
  });
  const range = rangeOf(request.headers.range, sizeBytes);
  if (range === 'unsatisfiable')
    return reply.code(416).header('content-range', `bytes */${sizeBytes}`).send();
  const sent = range ?? { start: 0, end: sizeBytes - 1 };
  reply.header('content-length', String(sizeBytes === 0 ? 0 : sent.end - sent.start + 1));
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${sizeBytes}`);
  if (sizeBytes === 0 || request.method === 'HEAD') return reply.send('');
  try {
    return reply.send(await store.read(key, { range: sent, etag }));
  } catch (error) {
    if (error instanceof NoSuchObject) throw new ApiError('not_found', { cause: error });
    throw error;
  }
}

/** One range, as players ask for; several or anything else means the whole. */
export function rangeOf(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return start > end || start >= sizeBytes ? 'unsatisfiable' : { start, end };
}
