import { randomUUID } from 'node:crypto';
import { fastifySwagger } from '@fastify/swagger';
import { type FastifyServerOptions, fastify, LogController } from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { ApiError } from '../contract/errors.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import { answerError, answerErrors } from './error-answers.ts';
import { openApiInfo } from './openapi.ts';
import { documentedRoute, documentedWhole } from './openapi-document.ts';
import { answerParserError, answerUnusualRequests } from './parser-answers.ts';
import { parseBodies, validateRequests } from './request-parsing.ts';

export interface ServerOptions {
  logger: Logger;
  tls?: { cert: Buffer; key: Buffer } | undefined;
}

const bodyBytesMax = 1024 * 1024;
const headersTimeoutMs = 30_000;
/** Node looks for late requests so often; by its own default a limit of 30 s may take a minute. */
const lateCheckMs = 5_000;
/** A connection on which nothing moves for this long is closed. */
const idleTimeoutMs = 60_000;
const keepAliveTimeoutMs = 10_000;
/** Parts of a large upload may take as long as their URLs live. */
const requestTimeoutMs = 4 * 3600 * 1000;

/** Node would answer a request without Host outside the envelope; the hook below refuses it. */
const nodeOptions = { requireHostHeader: false, connectionsCheckingInterval: lateCheckMs };

/** A Fastify instance with our rules for bodies, validation, errors and request ids, and no routes yet. */
export function createServer({ logger, tls }: ServerOptions) {
  const options: FastifyServerOptions & { http?: unknown; https?: unknown } = {
    loggerInstance: logger.child({}),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    bodyLimit: bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    genReqId: () => randomUUID(),
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: answerError,
    clientErrorHandler: answerParserError,
    http: nodeOptions,
    // Requests that arrive while the service stops are still served; the framework would refuse them in its own words.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    ...(tls ? { https: { ...tls, ...nodeOptions } } : {}),
  };
  const server = fastify(options as FastifyServerOptions).withTypeProvider<ZodTypeProvider>();
  server.server.headersTimeout = headersTimeoutMs;
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    if (request.routeOptions.url?.startsWith('/api/')) reply.header('cache-control', 'no-store');
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
      throw new ApiError('malformed_request', { headers: { connection: 'close' } });
  });
  answerUnusualRequests(server);
  server.addHook('onResponse', async (request, reply) => {
    const { method, routeOptions } = request;
    const line = {
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: reply.elapsedTime,
    };
    request.log.debug(line, 'answered');
  });
  parseBodies(server);
  validateRequests(server);
  server.setSerializerCompiler(serializerCompiler);
  answerErrors(server);
  server.register(fastifySwagger, {
    openapi: openApiInfo,
    transform: documentedRoute,
    transformObject: documentedWhole,
  });
  return server;
}

export type Server = ReturnType<typeof createServer>;
