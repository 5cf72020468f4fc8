import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { ApiError } from '../contract/errors.ts';
import { pathId } from '../contract/path-id.ts';
import {
  changesQuery,
  libraryEntryOnWire,
  libraryFilter,
  libraryQuery,
  renameBody,
} from '../contract/web/library.ts';
import { deleteTranscription, type ErasureDeps } from '../erasure/delete-transcription.ts';
import { principalOf } from '../http/authentication.ts';
import { libraryStore } from '../transcription/library/library-store.ts';
import { renameTranscription } from '../transcription/library/rename-transcription.ts';

export interface LibraryRoutesDeps {
  erasure: ErasureDeps;
}

/** New entries told at once; a page that missed more reads the list again. */
const newEntriesMax = 100;

/** Registered behind `requireSession`. */
export function libraryRoutes(instance: FastifyInstance, { erasure }: LibraryRoutesDeps): void {
  const web = instance.withTypeProvider<ZodTypeProvider>();
  const { db } = erasure;
  web.route({
    method: 'GET',
    url: '/web/library',
    schema: { hide: true, querystring: libraryQuery },
    handler: async (request) => {
      const { account } = principalOf(request);
      const filter = libraryFilter(request.query);
      const { limit } = filter;
      const [entries, counts] = await Promise.all([
        libraryStore.list(db, account.id, { ...filter, limit: limit + 1 }),
        libraryStore.countByStatus(db, account.id),
      ]);
      const page = entries.slice(0, limit);
      const next = entries.length > limit ? (page.at(-1)?.number ?? null) : null;
      return { data: { entries: page.map(libraryEntryOnWire), next, counts } };
    },
  });
  web.route({
    method: 'GET',
    url: '/web/library/changes',
    schema: { hide: true, querystring: changesQuery },
    handler: async (request) => {
      const { ids, after } = request.query;
      const { account } = principalOf(request);
      const entries = await libraryStore.changes(db, account.id, { ids, after, limit: newEntriesMax });
      return { data: { entries: entries.map(libraryEntryOnWire) } };
    },
  });
  web.route({
    method: 'GET',
    url: '/web/library/:id',
    schema: { hide: true, params: pathId },
    handler: async (request) => {
      const entry = await libraryStore.find(db, principalOf(request).account.id, request.params.id);
      if (!entry) throw new ApiError('not_found');
      return { data: libraryEntryOnWire(entry) };
    },
  });
  web.route({
    method: 'PATCH',
    url: '/web/library/:id',
    schema: { hide: true, params: pathId, body: renameBody },
    handler: async (request, reply) => {
      const { id } = request.params;
      await renameTranscription({ db }, principalOf(request), { id, name: request.body.name });
      return reply.code(204).send();
    },
  });
  web.route({
    method: 'DELETE',
    url: '/web/library/:id',
    schema: { hide: true, params: pathId },
    handler: async (request, reply) => {
      await deleteTranscription(erasure, principalOf(request), request.params.id);
      return reply.code(204).send();
    },
  });
}
