/** Having a passage of a finished transcript recognised again. */
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { languageCodes } from '../contract/language.ts';
import { pathId } from '../contract/path-id.ts';
import { requestFaults } from '../contract/request-faults.ts';
import { EditConflict } from '../edition/change-segments.ts';
import {
  listReruns,
  type RerunDeps,
  removeRerun,
  requestRerun,
  rerunChoices,
} from '../edition/rerun/request-rerun.ts';
import { type Rerun, rerunLinesMax, rerunSecondsMax } from '../edition/rerun/rerun.ts';
import { principalOf } from '../http/authentication.ts';
import { conflictOnWire, rerunBody } from './transcript-wire.ts';

export type RerunRoutesDeps = RerunDeps;

const rerunPath = z
  .object({ id: z.guid(), rerun: z.guid() })
  .register(requestFaults, { order: ['not_found'], ofField: () => 'not_found' });

/** Registered behind `requireSession`. */
export function rerunRoutes(instance: FastifyInstance, deps: RerunRoutesDeps): void {
  const web = instance.withTypeProvider<ZodTypeProvider>();
  const path = '/web/transcriptions/:id/reruns';
  web.route({
    method: 'GET',
    url: path,
    schema: { hide: true, params: pathId },
    handler: async (request) => {
      const reruns = await listReruns(deps, principalOf(request), request.params.id);
      return { data: reruns.map(rerunOnWire) };
    },
  });
  web.route({
    method: 'GET',
    url: `${path}/choices`,
    schema: { hide: true, params: pathId },
    handler: async (request) => {
      const { isKept, engines } = await rerunChoices(deps, principalOf(request), request.params.id);
      const limits = { seconds_max: rerunSecondsMax, lines_max: rerunLinesMax };
      return { data: { is_kept: isKept, engines, languages: languageCodes, ...limits } };
    },
  });
  web.route({
    method: 'POST',
    url: path,
    schema: { hide: true, params: pathId, body: rerunBody },
    handler: async (request, reply) => {
      const { lines, language, engine } = request.body;
      const seen = lines.map(({ id, base }) => ({ id, revision: base }));
      const wanted = { id: request.params.id, lines: seen, language, engine };
      try {
        const rerun = await requestRerun(deps, principalOf(request), wanted);
        return reply.code(202).send({ data: rerunOnWire(rerun) });
      } catch (error) {
        if (!(error instanceof EditConflict)) throw error;
        return reply.code(409).send(conflictOnWire(error));
      }
    },
  });
  web.route({
    method: 'DELETE',
    url: `${path}/:rerun`,
    schema: { hide: true, params: rerunPath },
    handler: async (request, reply) => {
      const { id, rerun: rerunId } = request.params;
      await removeRerun(deps, principalOf(request), { id, rerunId });
      return reply.code(204).send();
    },
  });
}

function rerunOnWire({ id, status, lines, language, progress, failure, revision }: Rerun) {
  return { id, status, line_ids: lines.map((line) => line.id), language, progress, failure, revision };
}
