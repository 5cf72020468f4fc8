/** Editing a transcript. */
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { pathId } from '../contract/path-id.ts';
import {
  changedOnWire,
  changesBody,
  conflictOnWire,
  importBody,
  mergeBody,
  nameBody,
  nameSpeakerCommand,
  replaceBody,
  replaceTextCommand,
  segmentChanges,
  shiftBody,
  shiftTimesCommand,
  sinceQuery,
} from '../contract/web/edition.ts';
import { changeSegments, EditConflict } from '../edition/change-segments.ts';
import { importLines } from '../edition/import-lines.ts';
import { mergeSpeakers, nameSpeaker } from '../edition/name-speakers.ts';
import { publishEdition, withdrawEdition } from '../edition/publish-edition.ts';
import { editionChanges } from '../edition/read-edition.ts';
import { replaceText } from '../edition/replace-text.ts';
import { shiftTimes } from '../edition/shift-times.ts';
import { principalOf } from '../http/authentication.ts';
import { sendJson } from './send-json.ts';
import type { TranscriptRoutesDeps } from './transcript-routes.ts';

const path = '/web/transcriptions/:id/edition';
const importBytesMax = 16 * 1024 * 1024;

/** Registered behind `requireSession`. */
export function editionRoutes(instance: FastifyInstance, deps: TranscriptRoutesDeps): void {
  const web = instance.withTypeProvider<ZodTypeProvider>();
  const params = pathId;
  web.route({
    method: 'GET',
    url: path,
    schema: { hide: true, params, querystring: sinceQuery },
    handler: async (request, reply) => {
      const wanted = { id: request.params.id, since: request.query.since };
      const changes = await editionChanges(deps, principalOf(request), wanted);
      return sendJson({ request, reply }, { data: changedOnWire(changes) });
    },
  });
  web.route({
    method: 'POST',
    url: `${path}/changes`,
    schema: { hide: true, params, body: changesBody },
    handler: async (request, reply) => {
      const wanted = { id: request.params.id, changes: segmentChanges(request.body) };
      try {
        return { data: changedOnWire(await changeSegments(deps, principalOf(request), wanted)) };
      } catch (error) {
        if (!(error instanceof EditConflict)) throw error;
        return reply.code(409).send(conflictOnWire(error));
      }
    },
  });
  web.route({
    method: 'POST',
    url: `${path}/replace`,
    schema: { hide: true, params, body: replaceBody },
    handler: async (request, reply) => {
      const wanted = { id: request.params.id, ...replaceTextCommand(request.body) };
      const written = await replaceText(deps, principalOf(request), wanted);
      return sendJson({ request, reply }, { data: changedOnWire(written) });
    },
  });
  web.route({
    method: 'POST',
    url: `${path}/shift`,
    schema: { hide: true, params, body: shiftBody },
    handler: async (request, reply) => {
      const wanted = { id: request.params.id, ...shiftTimesCommand(request.body) };
      const written = await shiftTimes(deps, principalOf(request), wanted);
      return sendJson({ request, reply }, { data: changedOnWire(written) });
    },
  });
  web.route({
    method: 'POST',
    url: `${path}/import`,
    bodyLimit: importBytesMax,
    schema: { hide: true, params, body: importBody },
    handler: async (request) => {
      const { revision } = await importLines(deps, principalOf(request), {
        id: request.params.id,
        ...request.body,
      });
      return { data: { revision } };
    },
  });
  speakerRoutes(instance, deps);
  publishRoutes(instance, deps);
}

function speakerRoutes(instance: FastifyInstance, deps: TranscriptRoutesDeps): void {
  const web = instance.withTypeProvider<ZodTypeProvider>();
  web.route({
    method: 'POST',
    url: `${path}/name`,
    schema: { hide: true, params: pathId, body: nameBody },
    handler: async (request) => {
      const wanted = { id: request.params.id, ...nameSpeakerCommand(request.body) };
      return { data: changedOnWire(await nameSpeaker(deps, principalOf(request), wanted)) };
    },
  });
  web.route({
    method: 'POST',
    url: `${path}/merge`,
    schema: { hide: true, params: pathId, body: mergeBody },
    handler: async (request, reply) => {
      const wanted = { id: request.params.id, ...request.body };
      const written = await mergeSpeakers(deps, principalOf(request), wanted);
      return sendJson({ request, reply }, { data: changedOnWire(written) });
    },
  });
}

function publishRoutes(instance: FastifyInstance, deps: TranscriptRoutesDeps): void {
  const web = instance.withTypeProvider<ZodTypeProvider>();
  for (const [method, work] of [
    ['PUT', publishEdition],
    ['DELETE', withdrawEdition],
  ] as const) {
    web.route({
      method,
      url: `${path}/published`,
      schema: { hide: true, params: pathId },
      handler: async (request, reply) => {
        await work(deps, principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });
  }
}
