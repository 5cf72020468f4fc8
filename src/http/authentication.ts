import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '../account/authenticate.ts';
import type { Principal, Protocol } from '../account/principal.ts';
import type { RateLimiter } from '../account/rate-limit.ts';
import { traceParentOf } from './request-traces.ts';
import type { SessionRequests } from './session-requests.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every protected operation; read it through `principalOf`. */
    principal: Principal | undefined;
  }
  interface FastifyContextConfig {
    /** Counts against the tighter limit of operations that create jobs. */
    createsJob?: boolean;
  }
}

/**
 * Every operation registered on `api` needs a key, and counts against its account's request rate. Where there is a
 * web product, its pages may use their session instead.
 */
export function requireApiKey(
  api: FastifyInstance,
  authenticator: Authenticator,
  limiter: RateLimiter,
  { protocol = 'rest', sessions }: { protocol?: Protocol; sessions?: SessionRequests | undefined } = {},
): void {
  api.decorateRequest('principal', undefined);
  api.addHook('onRequest', async (request, reply) => {
    const { authorization } = request.headers;
    const person = authorization === undefined ? await sessions?.pagePrincipal(request) : undefined;
    const principal = person ?? (await authenticator.authenticate(authorization, protocol));
    request.principal = { ...principal, traceParent: traceParentOf(request) };
    const kind = request.routeOptions.config.createsJob ? 'create' : 'request';
    reply.headers(await limiter.admit(principal.account.id, kind));
  });
}

export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('this operation is not behind requireApiKey');
  return request.principal;
}
