/** Read-only links: made and revoked by the owner, opened by whoever has one. */
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { ApiError } from '../contract/errors.ts';
import { pathId } from '../contract/path-id.ts';
import { createdShareOnWire, shareBody, sharedPath, shareOnWire, sharePath } from '../contract/web/share.ts';
import { sharedTranscriptOnWire, wordsQuery, wordsWanted } from '../contract/web/transcript.ts';
import { heardWordsStore } from '../edition/heard-words-store.ts';
import { readSharedTranscript } from '../edition/read-shared-transcript.ts';
import { createShare, listShares, openShare, revokeShare } from '../edition/shares.ts';
import { principalOf } from '../http/authentication.ts';
import { playbackStore } from '../transcription/audio/playback-store.ts';
import { sendJson } from './send-json.ts';
import { sendObject } from './send-object.ts';
import type { TranscriptRoutesDeps } from './transcript-routes.ts';

/** Registered behind `requireSession`. */
export function shareRoutes(instance: FastifyInstance, deps: TranscriptRoutesDeps): void {
  const web = instance.withTypeProvider<ZodTypeProvider>();
  const path = '/web/transcriptions/:id/shares';
  web.route({
    method: 'POST',
    url: path,
    schema: { hide: true, params: pathId, body: shareBody },
    handler: async (request, reply) => {
      const wanted = { id: request.params.id, days: request.body.days };
      const created = await createShare(deps, principalOf(request), wanted);
      return reply.code(201).send({ data: createdShareOnWire(created) });
    },
  });
  web.route({
    method: 'GET',
    url: path,
    schema: { hide: true, params: pathId },
    handler: async (request) => {
      const shares = await listShares(deps, principalOf(request), request.params.id);
      return { data: shares.map(shareOnWire) };
    },
  });
  web.route({
    method: 'DELETE',
    url: `${path}/:share`,
    schema: { hide: true, params: sharePath },
    handler: async (request, reply) => {
      const { id, share: shareId } = request.params;
      await revokeShare(deps, principalOf(request), { id, shareId });
      return reply.code(204).send();
    },
  });
}

/** For everybody: the link itself is the permission, for reading this one transcript. */
export function sharedRoutes(instance: FastifyInstance, deps: TranscriptRoutesDeps): void {
  const { db, stores } = deps;
  const web = instance.withTypeProvider<ZodTypeProvider>();
  const path = '/web/shared/:token';
  web.route({
    method: 'GET',
    url: `${path}/transcript`,
    schema: { hide: true, params: sharedPath },
    handler: async (request, reply) => {
      const shared = await readSharedTranscript(deps, request.params.token);
      return sendJson({ request, reply }, { data: sharedTranscriptOnWire(shared) });
    },
  });
  web.route({
    method: 'GET',
    url: `${path}/words`,
    schema: { hide: true, params: sharedPath, querystring: wordsQuery },
    handler: async (request, reply) => {
      const { transcriptionId } = await openShare(deps, request.params.token);
      const { fromMs, toMs } = wordsWanted(request.query);
      const words = await heardWordsStore.within(db, transcriptionId, { fromMs, toMs });
      return sendJson({ request, reply }, { data: words });
    },
  });
  for (const name of ['peaks', 'media'] as const) {
    web.route({
      method: 'GET',
      url: `${path}/${name}`,
      schema: { hide: true, params: sharedPath },
      handler: async (request, reply) => {
        const { transcriptionId } = await openShare(deps, request.params.token);
        const { [name]: object } = await playbackStore.find(db, transcriptionId);
        if (!object) throw new ApiError('not_found');
        return sendObject(stores, object, { request, reply });
      },
    });
  }
}
