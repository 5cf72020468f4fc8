/** Having a passage of a finished transcript recognised again. */
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { pathId } from '../contract/path-id.ts';
import { conflictOnWire } from '../contract/web/edition.ts';
import {
  requestRerunCommand,
  rerunBody,
  rerunChoicesOnWire,
  rerunOnWire,
  rerunPath,
} from '../contract/web/rerun.ts';
import { EditConflict } from '../edition/change-segments.ts';
import {
  listReruns,
  type RerunDeps,
  removeRerun,
  requestRerun,
  rerunChoices,
} from '../edition/rerun/request-rerun.ts';
import { principalOf } from '../http/authentication.ts';

export type RerunRoutesDeps = RerunDeps;

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
      const choices = await rerunChoices(deps, principalOf(request), request.params.id);
      return { data: rerunChoicesOnWire(choices) };
    },
  });
  web.route({
    method: 'POST',
    url: path,
    schema: { hide: true, params: pathId, body: rerunBody },
    handler: async (request, reply) => {
      const wanted = { id: request.params.id, ...requestRerunCommand(request.body) };
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
