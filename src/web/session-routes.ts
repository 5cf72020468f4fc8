import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Allowance } from '../account/allowance.ts';
import { pathId } from '../contract/path-id.ts';
import {
  sessionOnWire,
  signedInOnWire,
  signInBody,
  signInCommand,
  visitorOnWire,
} from '../contract/web/session.ts';
import { principalOf } from '../http/authentication.ts';
import type { SessionRequests } from '../http/session-requests.ts';
import type { Queryable } from '../platform/database/database.ts';
import type { IdentityProvider } from './identity-provider.ts';

export interface SessionRoutesDeps {
  db: Queryable;
  sessions: SessionRequests;
  allowance: Allowance;
  provider: IdentityProvider | undefined;
}

/** For somebody who has no session yet. */
export function signInRoutes(instance: FastifyInstance, deps: SessionRoutesDeps): void {
  const { db, sessions, allowance, provider } = deps;
  const open = instance.withTypeProvider<ZodTypeProvider>();
  // Every page asks it first; that nobody is signed in is an answer, not an error in the browser's log.
  open.route({
    method: 'GET',
    url: '/web/session',
    schema: { hide: true },
    handler: async (request) => {
      const account = (await sessions.visitor(request))?.account;
      if (!account) return { data: visitorOnWire({ hasIdentityProvider: provider !== undefined }) };
      const usedToday = await allowance.usedToday(db, account.id);
      return { data: visitorOnWire({ account, usedToday }) };
    },
  });
  open.route({
    method: 'POST',
    url: '/web/session',
    schema: { hide: true, body: signInBody },
    handler: async (request, reply) => {
      sessions.assertOwnPage(request);
      const by = signInCommand(request.body);
      const opened = await sessions.sessions.open(by, request.headers['user-agent'] ?? '');
      sessions.setCookie(reply, opened.token);
      request.log.info({ account: opened.account.id, session: opened.session.id }, 'a person signed in');
      return reply.code(201).send({ data: { account: signedInOnWire(opened.account) } });
    },
  });
}

/** Registered behind `requireSession`. */
export function sessionRoutes(instance: FastifyInstance, deps: SessionRoutesDeps): void {
  const { sessions } = deps;
  const web = instance.withTypeProvider<ZodTypeProvider>();
  web.route({
    method: 'DELETE',
    url: '/web/session',
    schema: { hide: true },
    handler: async (request, reply) => {
      const principal = principalOf(request);
      await sessions.sessions.end(principal, principal.credential.id);
      sessions.clearCookie(reply);
      // Whatever the browser keeps of this service belongs to the person who leaves.
      return reply.code(204).header('clear-site-data', '"cache", "storage"').send();
    },
  });
  web.route({
    method: 'GET',
    url: '/web/sessions',
    schema: { hide: true },
    handler: async (request) => {
      const principal = principalOf(request);
      const open = await sessions.sessions.list(principal);
      const isCurrent = (id: string) => id === principal.credential.id;
      return { data: open.map((session) => sessionOnWire(session, { isCurrent: isCurrent(session.id) })) };
    },
  });
  web.route({
    method: 'DELETE',
    url: '/web/sessions/:id',
    schema: { hide: true, params: pathId },
    handler: async (request, reply) => {
      await sessions.sessions.end(principalOf(request), request.params.id);
      return reply.code(204).send();
    },
  });
}
