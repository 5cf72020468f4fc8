import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '../account/authenticate.ts';
import type { Principal } from '../account/principal.ts';
import type { RateLimiter } from '../account/rate-limit.ts';

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

/** Every operation registered on `api` needs a key, and counts against its account's request rate. */
export function requireApiKey(
  api: FastifyInstance,
  authenticator: Authenticator,
  limiter: RateLimiter,
): void {
  api.decorateRequest('principal', undefined);
  api.addHook('onRequest', async (request, reply) => {
    request.principal = await authenticator.authenticate(request.headers.authorization, 'rest');
    const kind = request.routeOptions.config.createsJob ? 'create' : 'request';
    reply.headers(limiter.admit(request.principal.account.id, kind));
  });
}

export function principalOf(request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('this operation is not behind requireApiKey');
  return request.principal;
}
