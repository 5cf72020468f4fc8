import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Account } from '../account/account.ts';
import type { Authenticator } from '../account/authenticate.ts';
import type { RateLimiter } from '../account/rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every protected operation; read it through `accountOf`. */
    account: Account | undefined;
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
  api.decorateRequest('account', undefined);
  api.addHook('onRequest', async (request, reply) => {
    request.account = await authenticator.authenticate(request.headers.authorization);
    const kind = request.routeOptions.config.createsJob ? 'create' : 'request';
    reply.headers(limiter.admit(request.account.id, kind));
  });
}

export function accountOf(request: FastifyRequest): Account {
  if (!request.account) throw new Error('this operation is not behind requireApiKey');
  return request.account;
}
