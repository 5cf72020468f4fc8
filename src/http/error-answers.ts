import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, type ErrorCode } from '../contract/errors.ts';
import { DatabaseUnavailable } from '../platform/database/database-fault.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the operation answers while the database is away; `service_unavailable` unless given. */
    unavailableCode?: ErrorCode;
  }
}

/** After this long a passing fault is likely over: the database is back, a store answers, a worker was heard from. */
const retryAfterSeconds = 10;
/** What passes without anybody changing the configuration. */
const passingCodes: ReadonlySet<string | null> = new Set<ErrorCode>([
  'api_uploads_unavailable',
  'api_processing_unavailable',
  'queue_unavailable',
  'service_unavailable',
]);

/** Every answer that is not a success, in the one envelope. */
export function answerErrors(server: FastifyInstance): void {
  const routes: KnownRoute[] = [];
  server.addHook('onRoute', ({ url, method }) => {
    const pattern = new RegExp(
      `^${url
        .replace(/\/$/, '')
        .replace(/:[^/]+/g, '[^/]+')
        .replace(/\*/g, '.*')}/?$`,
    );
    for (const one of [method].flat()) routes.push({ pattern, method: one });
  });
  server.setErrorHandler((error: FastifyError | ApiError, request, reply) =>
    answerError(error, request, reply),
  );
  server.setNotFoundHandler((request, reply) => answerError(unknownRoute(request, routes), request, reply));
}

interface KnownRoute {
  pattern: RegExp;
  method: string;
}

function unknownRoute(request: FastifyRequest, routes: readonly KnownRoute[]): ApiError {
  const [path = ''] = request.url.split('?');
  const allowed = [
    ...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)),
  ];
  const isKnownPath = allowed.length > 0 && !allowed.includes(request.method);
  if (!isKnownPath) return new ApiError('not_found');
  return new ApiError('method_not_allowed', { headers: { allow: allowed.toSorted().join(', ') } });
}

export function answerError(
  error: FastifyError | ApiError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = apiErrorOf(error, request);
  logFault(request, known);
  return reply
    .code(known.status)
    .header('x-request-id', request.id)
    .headers(passingHeaders(known.code))
    .header('cache-control', 'no-store')
    .headers(known.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ error: { code: known.code, message: known.message } });
}

export function passingHeaders(code: string | null): Record<string, string> {
  return passingCodes.has(code) ? { 'retry-after': String(retryAfterSeconds) } : {};
}

/** With a cause something broke; without one the service knows why it cannot serve, and the code says it. */
export function logFault(
  request: FastifyRequest,
  { status, code, cause }: { status: number; code: string | null; cause?: unknown },
): void {
  if (status < 500) return;
  if (cause === undefined) request.log.warn({ code }, 'a request was refused');
  else request.log.error({ code, err: cause }, 'a request failed');
}

export function apiErrorOf(error: FastifyError | ApiError, request: FastifyRequest): ApiError {
  return error instanceof ApiError ? error : translated(error, request);
}

/** What no use case has chosen an answer for. Whatever is not the caller's fault is ours. */
function translated(error: FastifyError | DatabaseUnavailable, request: FastifyRequest): ApiError {
  if (error instanceof DatabaseUnavailable) {
    const { unavailableCode = 'service_unavailable' } = request.routeOptions.config;
    return new ApiError(unavailableCode, { cause: error });
  }
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('request_too_large', { headers: { connection: 'close' } });
  if (error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_MAX_PARAM_LENGTH')
    return new ApiError('not_found');
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new ApiError('malformed_request', { cause: error });
  }
  return new ApiError('internal_error', { cause: error });
}
