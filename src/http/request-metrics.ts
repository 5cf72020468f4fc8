import type { Meter } from '@opentelemetry/api';
import type { Server } from './server.ts';

/** Counts and times every answer by route; what has no route is one. */
export function countRequests(server: Server, meter: Meter): void {
  const requests = meter.createCounter('longhand_http_requests', {
    description: 'Requests answered, by method, route and status.',
  });
  const seconds = meter.createHistogram('longhand_http_request_seconds', {
    description: 'How long requests took, by method and route.',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] },
  });
  server.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? 'none';
    requests.add(1, { method, route, status: String(reply.statusCode) });
    seconds.record(reply.elapsedTime / 1000, { method, route });
  });
}
