/** One recording and its text: reading, playing, editing, taking away. */
import { create as contentDisposition } from 'content-disposition';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { ApiError } from '../contract/errors.ts';
import { pathId } from '../contract/path-id.ts';
import {
  exportOptions,
  exportQuery,
  transcriptOnWire,
  wordsQuery,
  wordsWanted,
} from '../contract/web/transcript.ts';
import { editionStore } from '../edition/edition-store.ts';
import { type ExportFormat, exportTranscript } from '../edition/export-transcript.ts';
import { heardWordsStore } from '../edition/heard-words-store.ts';
import { readTranscript } from '../edition/read-transcript.ts';
import { principalOf } from '../http/authentication.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { ObjectStores } from '../storage/object-store.ts';
import { playbackStore } from '../transcription/audio/playback-store.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import { sendJson } from './send-json.ts';
import { sendObject } from './send-object.ts';

export interface TranscriptRoutesDeps {
  db: Database;
  stores: ObjectStores;
  clock: Clock;
}

/** Registered behind `requireSession`. */
export function transcriptRoutes(instance: FastifyInstance, { db, stores }: TranscriptRoutesDeps): void {
  const web = instance.withTypeProvider<ZodTypeProvider>();
  const path = '/web/transcriptions/:id';
  const expectOwned = async (accountId: string, id: string) => {
    if (!(await transcriptionStore.isOwned(db, accountId, id))) throw new ApiError('not_found');
  };
  web.route({
    method: 'GET',
    url: `${path}/transcript`,
    schema: { hide: true, params: pathId },
    handler: async (request, reply) => {
      const read = await readTranscript({ db }, principalOf(request), request.params.id);
      return sendJson({ request, reply }, { data: transcriptOnWire(read) });
    },
  });
  web.route({
    method: 'GET',
    url: `${path}/words`,
    schema: { hide: true, params: pathId, querystring: wordsQuery },
    handler: async (request, reply) => {
      await expectOwned(principalOf(request).account.id, request.params.id);
      const words = await heardWordsStore.within(db, request.params.id, wordsWanted(request.query));
      return sendJson({ request, reply }, { data: words });
    },
  });
  for (const name of ['peaks', 'media'] as const) {
    web.route({
      method: 'GET',
      url: `${path}/${name}`,
      schema: { hide: true, params: pathId },
      handler: async (request, reply) => {
        await expectOwned(principalOf(request).account.id, request.params.id);
        const { [name]: object } = await playbackStore.find(db, request.params.id);
        if (!object) throw new ApiError('not_found');
        return sendObject(stores, object, { request, reply });
      },
    });
  }
  web.route({
    method: 'GET',
    url: `${path}/export`,
    schema: { hide: true, params: pathId, querystring: exportQuery },
    handler: async (request, reply) => {
      const { id } = request.params;
      const principal = principalOf(request);
      const facts = await editionStore.facts(db, principal.account.id, id);
      if (facts?.status !== 'completed') throw new ApiError('not_found');
      const title = titleOf(facts.filename);
      const options = exportOptions(request.query);
      const { contentType, body } = await exportTranscript({ db }, principal, { id, title, options });
      return reply.headers(attachment(title, options.format)).type(contentType).send(body);
    },
  });
}

function titleOf(filename: string): string {
  return filename.replace(/\.[a-z0-9]{1,5}$/i, '') || filename;
}

function attachment(title: string, format: ExportFormat): Record<string, string> {
  return { 'content-disposition': contentDisposition(`${title}.${format}`) };
}
