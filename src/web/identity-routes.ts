import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { AccountStore } from '../account/account-store.ts';
import { identityStore } from '../account/identity-store.ts';
import type { PublicUrl } from '../http/public-url.ts';
import type { SessionRequests } from '../http/session-requests.ts';
import type { Database } from '../platform/database/database.ts';
import type { IdentityProvider, PendingSignIn } from './identity-provider.ts';

export interface IdentityRoutesDeps {
  db: Database;
  accounts: AccountStore;
  sessions: SessionRequests;
  publicUrl: PublicUrl;
  /** Undefined where no provider is configured. */
  provider: IdentityProvider | undefined;
  /** Of accounts that a first sign-in makes. */
  newAccountPlan: string;
}

const cookieName = 'longhand-identity';
const callbackPath = '/signin/callback';
const refusedPath = '/signin?problem=identity';
const pendingSeconds = 600;
const pendingSchema = z.object({ state: z.string(), nonce: z.string(), verifier: z.string() });

/** To the identity provider and back. Both are visits of a person, not requests of a page. */
export function identityRoutes(instance: FastifyInstance, deps: IdentityRoutesDeps): void {
  const { provider, sessions, publicUrl } = deps;
  if (!provider) return;
  instance.route({
    method: 'GET',
    url: '/signin/identity',
    schema: { hide: true },
    handler: async (request, reply) => {
      try {
        const base = publicUrl.forHost(request.headers.host);
        const { url, pending } = await provider.begin(base + callbackPath);
        setPending(reply, publicUrl, JSON.stringify(pending));
        return reply.redirect(url.href, 303);
      } catch (error) {
        return refuse(request, reply, error);
      }
    },
  });
  instance.route({
    method: 'GET',
    url: callbackPath,
    schema: { hide: true },
    handler: async (request, reply) => {
      const pending = pendingOf(request);
      if (!pending) return reply.redirect(refusedPath, 303);
      try {
        const callback = new URL(publicUrl.forHost(request.headers.host) + request.url);
        const identity = await provider.finish(callback, pending);
        const account = await identityStore.account(deps.db, deps.accounts, identity, {
          plan: deps.newAccountPlan,
        });
        if (!account) throw new Error('the account of this person was deleted');
        const opened = await sessions.sessions.open({ account }, request.headers['user-agent'] ?? '');
        setPending(reply, publicUrl, '');
        sessions.setCookie(reply, opened.token);
        request.log.info({ account: account.id, session: opened.session.id }, 'a person signed in');
        return reply.redirect('/', 303);
      } catch (error) {
        return refuse(request, reply, error);
      }
    },
  });
}

/** Undefined where this browser has begun no sign-in: somebody opened an old or foreign address. */
function pendingOf(request: FastifyRequest): PendingSignIn | undefined {
  try {
    const text = parseCookie(request.headers.cookie ?? '')[cookieName] ?? '';
    return pendingSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Lax, because the person comes back from another site. */
function setPending(reply: FastifyReply, publicUrl: PublicUrl, value: string): void {
  const cookie = stringifySetCookie({
    name: cookieName,
    value,
    maxAge: value === '' ? 0 : pendingSeconds,
    path: '/signin',
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl.isHttps,
  });
  reply.header('set-cookie', cookie);
}

/** The page says it in words; why, the operator reads in the log. */
function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  request.log.warn({ err: error }, 'signing in with the identity provider failed');
  return reply.redirect(refusedPath, 303);
}
