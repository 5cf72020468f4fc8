import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Allowance } from '../account/allowance.ts';
import type { Principal } from '../account/principal.ts';
import type { Session } from '../account/session-store.ts';
import { pathId } from '../contract/path-id.ts';
import { principalOf } from '../http/authentication.ts';
import type { SessionRequests } from '../http/session-requests.ts';
import type { Queryable } from '../platform/database/database.ts';
import type { IdentityProvider } from './identity-provider.ts';
import { signInBody } from './wire.ts';

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
      if (!account) return { data: { account: null, has_identity_provider: provider !== undefined } };
      const usedToday = await allowance.usedToday(db, account.id);
      return { data: { account: { ...accountOnWire(account), used_today: usedToday } } };
    },
  });
  open.route({
    method: 'POST',
    url: '/web/session',
    schema: { hide: true, body: signInBody },
    handler: async (request, reply) => {
      sessions.assertOwnPage(request);
      const { token, api_key: apiKey } = request.body;
      const by = token === undefined ? { apiKey: apiKey ?? '' } : { token };
      const opened = await sessions.sessions.open(by, request.headers['user-agent'] ?? '');
      sessions.setCookie(reply, opened.token);
      request.log.info({ account: opened.account.id, session: opened.session.id }, 'a person signed in');
      return reply.code(201).send({ data: { account: accountOnWire(opened.account) } });
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
      return { data: open.map((session) => sessionOnWire(session, principal)) };
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

function accountOnWire({ id, name, plan, isOperator }: Principal['account']) {
  return {
    id,
    name,
    is_operator: isOperator,
    plan: {
      name: plan.name,
      file_bytes_max: plan.fileBytesMax,
      media_seconds_max: plan.mediaSecondsMax,
      daily_transcriptions_max: plan.dailyTranscriptionsMax,
      speaker_diarization: plan.speakerDiarization,
    },
  };
}

function sessionOnWire(session: Session, { credential }: Principal) {
  return {
    id: session.id,
    is_current: session.id === credential.id,
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}
