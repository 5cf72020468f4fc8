import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);
/** Below this the answer fits into a few packets anyway. */
const compressFromBytes = 8_192;

/** The text of ten hours is more than a megabyte: a quarter of it over a slow line. */
export async function sendJson(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  body: object,
): Promise<FastifyReply> {
  const bytes = Buffer.from(JSON.stringify(body));
  reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding');
  const accepted = request.headers['accept-encoding'] ?? '';
  if (bytes.length < compressFromBytes || !/\bgzip\b/.test(String(accepted))) return reply.send(bytes);
  return reply.header('content-encoding', 'gzip').send(await compress(bytes, { level: 4 }));
}
