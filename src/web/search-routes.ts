import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { searchPageOnWire, searchPageQuery } from '../contract/web/search.ts';
import { principalOf } from '../http/authentication.ts';
import type { Queryable } from '../platform/database/database.ts';
import { libraryStore } from '../transcription/library/library-store.ts';
import { searchQuery } from '../transcription/library/search-query.ts';
import { searchTranscriptions } from '../transcription/library/search-transcriptions.ts';

/** Registered behind `requireSession`. */
export function searchRoutes(instance: FastifyInstance, { db }: { db: Queryable }): void {
  instance.withTypeProvider<ZodTypeProvider>().route({
    method: 'GET',
    url: '/web/search',
    schema: { hide: true, querystring: searchPageQuery },
    handler: async (request) => {
      const { query, cursor } = request.query;
      // Somebody who has typed no letter yet finds nothing; that is no fault.
      if (!searchQuery(query)) return { data: { hits: [], next: null } };
      const page = await searchTranscriptions({ db }, principalOf(request), { query, cursor });
      const names = await libraryStore.displayNames(
        db,
        page.hits.map(({ transcriptionId }) => transcriptionId),
      );
      return { data: searchPageOnWire(page, names) };
    },
  });
}
