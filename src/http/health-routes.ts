import type { Server } from './server.ts';

export interface HealthDeps {
  /** The names of what a job needs and is not there, found within seconds. What to do about it is for the operator's eyes. */
  missing(): Promise<readonly string[]>;
}

/** For whoever watches the service: `/healthz` says that the process lives, `/readyz` that it can take work. */
export function healthRoutes(server: Server, deps: HealthDeps): void {
  server.route({
    method: 'GET',
    url: '/healthz',
    schema: { hide: true },
    handler: async () => ({ status: 'alive' }),
  });

  server.route({
    method: 'GET',
    url: '/readyz',
    schema: { hide: true },
    handler: async (_request, reply) => {
      const names = await deps.missing();
      reply.header('cache-control', 'no-store');
      return names.length > 0
        ? reply.code(503).send({ status: 'not ready', missing: names })
        : { status: 'ready' };
    },
  });
}
