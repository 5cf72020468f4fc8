import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../contract/errors.ts';

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
  const known = error instanceof ApiError ? error : translated(error);
  logFault(request, known);
  return reply
    .code(known.status)
    .header('x-request-id', request.id)
    .headers(known.headers)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ error: { code: known.code, message: known.message } });
}

/** With a cause something broke; without one the service knows why it cannot serve, and the code says it. */
function logFault(request: FastifyRequest, { status, code, cause }: ApiError): void {
  if (status < 500) return;
  if (cause === undefined) request.log.warn({ code }, 'a request was refused');
  else request.log.error({ code, err: cause }, 'a request failed');
}

/** The framework's own errors. Whatever is not the caller's fault is ours. */
function translated(error: FastifyError): ApiError {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new ApiError('request_too_large', { headers: { connection: 'close' } });
  if (error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_MAX_PARAM_LENGTH')
    return new ApiError('not_found');
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new ApiError('invalid_request', { cause: error });
  }
  return new ApiError('internal_error', { cause: error });
}
