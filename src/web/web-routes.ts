/** Everything that the web product adds to the service: its files, its sessions, and what only its pages use. */
import type { FastifyInstance } from 'fastify';
import type { RateLimiter } from '../account/rate-limit.ts';
import type { Server } from '../http/server.ts';
import type { SessionRequests } from '../http/session-requests.ts';
import type { Database } from '../platform/database/database.ts';
import { type DeveloperRoutesDeps, developerRoutes } from './developer-routes.ts';
import { editionRoutes } from './edition-routes.ts';
import { type IdentityRoutesDeps, identityRoutes } from './identity-routes.ts';
import { type LibraryRoutesDeps, libraryRoutes } from './library-routes.ts';
import { type OperatorRoutesDeps, operatorRoutes } from './operator-routes.ts';
import { type PageFilesDeps, pageFiles } from './page-files.ts';
import { type RerunRoutesDeps, rerunRoutes } from './rerun-routes.ts';
import { searchRoutes } from './search-routes.ts';
import { type SessionRoutesDeps, sessionRoutes, signInRoutes } from './session-routes.ts';
import { sharedRoutes, shareRoutes } from './share-routes.ts';
import { type TranscriptRoutesDeps, transcriptRoutes } from './transcript-routes.ts';

export interface WebDeps
  extends PageFilesDeps,
    SessionRoutesDeps,
    LibraryRoutesDeps,
    IdentityRoutesDeps,
    DeveloperRoutesDeps,
    OperatorRoutesDeps,
    TranscriptRoutesDeps,
    RerunRoutesDeps {
  db: Database;
  sessions: SessionRequests;
  limiter: RateLimiter;
}

export function webRoutes(server: Server, deps: WebDeps): void {
  pageFiles(server, deps);
  server.register(async (open) => {
    neverKept(open);
    signInRoutes(open, deps);
    identityRoutes(open, deps);
    sharedRoutes(open, deps);
  });
  server.register(async (web) => {
    neverKept(web);
    requireSession(web, deps);
    sessionRoutes(web, deps);
    libraryRoutes(web, deps);
    transcriptRoutes(web, deps);
    editionRoutes(web, deps);
    rerunRoutes(web, deps);
    shareRoutes(web, deps);
    searchRoutes(web, deps);
    developerRoutes(web, deps);
    web.register(async (operator) => operatorRoutes(operator, deps));
  });
}

/** Every route registered on `web` needs a person's session, and counts against the account's request rate. */
function requireSession(
  web: FastifyInstance,
  { sessions, limiter }: Pick<WebDeps, 'sessions' | 'limiter'>,
): void {
  web.decorateRequest('principal', undefined);
  web.addHook('onRequest', async (request, reply) => {
    request.principal = await sessions.principal(request);
    reply.headers(await limiter.admit(request.principal.account.id, 'request'));
  });
}

/** Nothing of one person is kept for the next. */
function neverKept(instance: FastifyInstance): void {
  instance.addHook('onRequest', async (_request, reply) => {
    reply.header('cache-control', 'no-store');
  });
}
