import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Server } from './server.ts';

/** GET /metrics in Prometheus' text form. Registered only where the operator asks for it: it has no key. */
export function metricsRoutes(server: Server, metrics: Pick<Metrics, 'text'>): void {
  server.route({
    method: 'GET',
    url: '/metrics',
    schema: { hide: true },
    handler: async (_request, reply) =>
      reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text()),
  });
}
