import type { FastifyRequest } from 'fastify';
import type { TraceSpan, Traces } from '../platform/telemetry/traces.ts';
import type { Server } from './server.ts';

const spans = new WeakMap<FastifyRequest, TraceSpan>();

/**
 * A span for each request that brings a trace of its own or changes something; polls of other callers are none. Its
 * route is recorded, never its path.
 */
export function traceRequests(server: Server, traces: Traces): void {
  server.addHook('onRequest', async (request) => {
    const { method, routeOptions, headers } = request;
    const { traceparent } = headers;
    const route = routeOptions.url;
    if (route === undefined || (method === 'GET' && traceparent === undefined)) return;
    const span = traces.begin(`${method} ${route}`, {
      traceParent: typeof traceparent === 'string' ? traceparent : undefined,
      kind: 'SERVER',
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'longhand.request.id': request.id,
      },
    });
    spans.set(request, span);
  });
  server.addHook('onResponse', async (request, reply) => {
    const status = reply.statusCode;
    spans
      .get(request)
      ?.end({ attributes: { 'http.response.status_code': status }, isFailure: status >= 500 });
  });
}

/** For what the request starts. */
export function traceParentOf(request: FastifyRequest): string | undefined {
  return spans.get(request)?.traceParent;
}
