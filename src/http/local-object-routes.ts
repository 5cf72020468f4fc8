import type { FastifyReply, FastifyRequest } from 'fastify';
import { type GrantedUploads, receiveLocalPut } from '../storage/local/local-receive.ts';
import { LocalRefusal } from '../storage/local/local-refusal.ts';
import { type LocalStore, localObjectsPath } from '../storage/local/local-store.ts';
import { drainSome } from './drain-some.ts';
import type { Server } from './server.ts';

/** Any page may send to a signed URL, since the URL itself is the permission; and may read the ETag it gets. */
const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag',
};

const preflightHeaders = {
  ...corsHeaders,
  'access-control-allow-methods': 'PUT',
  'access-control-allow-headers': 'content-type, content-md5',
  'access-control-max-age': '3600',
};

/** Without a byte for this long a transfer is given up. */
const idleTimeoutMs = 60_000;

export interface LocalObjectDeps {
  store: LocalStore;
  uploads: GrantedUploads;
}

/** The local storage over HTTP: signed PUTs in the manner of S3. The API key is neither needed nor wanted here. */
export async function localObjectRoutes(server: Server, deps: LocalObjectDeps): Promise<void> {
  server.removeAllContentTypeParsers();
  // The body stays a stream: it goes to the disk piece by piece.
  server.addContentTypeParser('*', async () => undefined);
  server.route({
    method: 'OPTIONS',
    url: `${localObjectsPath}/*`,
    schema: { hide: true },
    handler: async (_request, reply) => reply.code(204).headers(preflightHeaders).send(),
  });
  server.route({
    method: ['PUT', 'GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    url: `${localObjectsPath}/*`,
    exposeHeadRoute: false,
    schema: { hide: true },
    handler: (request, reply) => answer(deps, request, reply),
  });
}

async function answer(deps: LocalObjectDeps, request: FastifyRequest, reply: FastifyReply) {
  reply.headers(corsHeaders);
  request.raw.setTimeout(idleTimeoutMs, () => request.raw.destroy());
  try {
    const etag = await receiveLocalPut(deps, {
      method: request.method,
      key: (request.params as { '*': string })['*'],
      query: request.query as Record<string, unknown>,
      headers: request.headers,
      body: request.raw,
    });
    return reply.code(200).header('etag', etag).send();
  } catch (error) {
    const refusal = error instanceof LocalRefusal ? error : new LocalRefusal('InternalError', error);
    if (refusal.status >= 500) {
      request.log.error(
        { requestId: request.id, err: refusal.cause },
        'the local storage could not take an upload',
      );
    }
    // A client that first sends all of its body still gets to the answer, where we have signed for that many bytes.
    if (refusal.isUnsigned) drainSome(deps.store.options.clock, request.raw);
    else request.raw.resume();
    return reply.code(refusal.status).type('application/xml').send(refusal.xml);
  }
}
