import { text } from 'node:stream/consumers';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import { type AllowedSenders, refuseForeignSenders } from './foreign-senders.ts';

export interface McpEndpoint {
  logger: Logger;
  senders: AllowedSenders;
  /** Makes the server of one request; what `identify` gave is in `authInfo.extra`. */
  factory: McpServerFactory;
  /** Hooks that a request passes before it is served. */
  guard?(scope: FastifyInstance): void;
  identify?(request: FastifyRequest): Record<string, unknown>;
}

const bodyBytesMax = 1024 * 1024;

/**
 * /mcp over streamable HTTP. The same factory serves clients of 2026-07-28 and of 2025, without sessions, so any
 * process serves any request.
 */
export function registerMcp(server: FastifyInstance, endpoint: McpEndpoint): void {
  const onerror = (error: Error) => endpoint.logger.debug({ err: error }, 'an agent’s request was refused');
  const limits = { onerror, maxRequestBodySize: bodyBytesMax };
  const handler = createMcpHandler(endpoint.factory, { legacy: 'stateless', ...limits });
  const answer = toNodeHandler(handler, limits);
  server.addHook('preClose', () => handler.close());
  server.register(async (scope) => {
    refuseForeignSenders(scope, endpoint.senders);
    endpoint.guard?.(scope);
    // The handler reads the body itself: its faults are told in the protocol's own form.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: '/mcp',
      schema: { hide: true },
      handler: async (request, reply) => {
        reply.hijack();
        const { raw } = reply;
        const headers = { ...reply.getHeaders(), 'cache-control': 'no-store' };
        for (const [name, value] of Object.entries(headers))
          if (value !== undefined) raw.setHeader(name, value);
        // The key stays outside: what the factory needs is who asks.
        const auth = { token: '', clientId: '', scopes: [], extra: endpoint.identify?.(request) ?? {} };
        const { method, url } = request;
        const body = await parsedBody(request);
        await answer(Object.assign(request.raw, { method, url, auth }), raw, body);
        return reply;
      },
    });
  });
}

/**
 * An ordinary body, parsed once: the handler would copy it as a stream, which each waiting request then holds. Undefined
 * for any other, which the handler refuses.
 */
async function parsedBody({ method, headers, raw }: FastifyRequest): Promise<unknown> {
  const sizeBytes = Number(headers['content-length']);
  if (method !== 'POST' || !(sizeBytes <= bodyBytesMax)) return undefined;
  try {
    return JSON.parse(await text(raw));
  } catch {
    return undefined;
  }
}
