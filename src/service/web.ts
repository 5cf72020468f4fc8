/** The web product, assembled from the parts of the service. */
import { Allowance } from '../account/allowance.ts';
import type { Authenticator } from '../account/authenticate.ts';
import { leastGenerousPlan } from '../account/plan.ts';
import type { RateLimiter } from '../account/rate-limit.ts';
import { Sessions } from '../account/sessions.ts';
import type { Config } from '../config.ts';
import type { Server } from '../http/server.ts';
import { SessionRequests } from '../http/session-requests.ts';
import type { Database } from '../platform/database/database.ts';
import { IdentityProvider } from '../web/identity-provider.ts';
import { isWebProductBuilt } from '../web/page-files.ts';
import { webRoutes } from '../web/web-routes.ts';
import type { ApiParts } from './api-parts.ts';
import { erasureDeps } from './erasure.ts';

export interface WebParts {
  sessions: SessionRequests;
  register(server: Server, limiter: RateLimiter): void;
}

export function isWebProductOn({ protocols }: Pick<Config, 'protocols'>): boolean {
  return protocols.has('web') && isWebProductBuilt();
}

/** Undefined where it is turned off or the pages were not built. */
export function createWeb(parts: ApiParts, db: Database, authenticator: Authenticator): WebParts | undefined {
  const { config, clock, logger, accounts } = parts.foundation;
  if (!config.protocols.has('web')) return undefined;
  if (!isWebProductBuilt()) {
    logger.warn('The web product is not built: run ./setup. The API is there all the same.');
    return undefined;
  }
  const sessions = new SessionRequests(new Sessions({ db, accounts, clock, authenticator }), parts.publicUrl);
  return {
    sessions,
    register: (server, limiter) =>
      webRoutes(server, {
        db,
        clock,
        accounts,
        plans: config.plans,
        disk: parts.storage.disk,
        stores: parts.storage.stores,
        queue: parts.queue,
        publicUrl: parts.publicUrl,
        sessions,
        limiter,
        allowance: new Allowance(clock),
        provider: config.oidc && new IdentityProvider({ ...config.oidc, egress: parts.egress }),
        newAccountPlan: config.oidc?.plan ?? leastGenerousPlan(config.plans).name,
        erasure: erasureDeps({ ...parts.foundation, db }, parts.storage, parts.webhooks, parts.queue),
        storageOrigin: storageOriginOf(config.s3),
      }),
  };
}

function storageOriginOf(s3: Config['s3']): string | undefined {
  if (!s3) return undefined;
  const { protocol, host } = new URL(s3.endpoint ?? `https://s3.${s3.region}.amazonaws.com`);
  return `${protocol}//${s3.forcePathStyle ? '' : `${s3.bucket}.`}${host}`;
}
