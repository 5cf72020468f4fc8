import { ApiError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Queryable } from '../platform/database/database.ts';
import type { Account } from './account.ts';
import type { AccountStore } from './account-store.ts';
import { apiKeyStore } from './api-key-store.ts';
import type { Authenticator } from './authenticate.ts';
import type { Principal } from './principal.ts';
import { type Session, type SessionLimits, sessionStore } from './session-store.ts';
import { generateSessionToken, hasSessionTokenShape, sessionTokenHash } from './session-token.ts';
import { signInTokenStore } from './sign-in-token-store.ts';

const dayMs = 86_400_000;
/** A session ends when it was not used for so long, and in any case after its lifetime. */
const idleMs = 7 * dayMs;
export const sessionLifetimeMs = 30 * dayMs;
/** A session's last use is written at most this often, so that reading stays cheap. */
const lastSeenResolutionMs = 60_000;
const sessionsPerAccountMax = 50;
const userAgentCharactersMax = 200;

export interface SessionsDeps {
  db: Database;
  accounts: AccountStore;
  clock: Clock;
  authenticator: Pick<Authenticator, 'authenticate'>;
}

/** What a person gives for a session. */
export type SignIn = { token: string } | { apiKey: string } | { account: Account };

export interface OpenedSession {
  /** For the cookie; only its hash is stored. */
  token: string;
  session: Session;
  account: Account;
}

/** Sessions of people in the web product: opened, found by their token, listed and ended. */
export class Sessions {
  readonly #deps: SessionsDeps;

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  /** Exchanges a one-time token, an API key or a proven identity for a session. */
  async open(by: SignIn, userAgent: string): Promise<OpenedSession> {
    const { db, clock } = this.#deps;
    // A key is checked before the transaction: its last use is noted whatever happens next.
    const owner = 'apiKey' in by ? await this.#byKey(by.apiKey) : undefined;
    return db.transaction(async (tx) => {
      const account = owner?.account ?? (await this.#accountOf(tx, by));
      const token = generateSessionToken();
      const at = clock.date();
      const session = await sessionStore.insert(tx, {
        accountId: account.id,
        tokenHash: sessionTokenHash(token),
        apiKeyId: owner?.credential.id ?? null,
        userAgent: userAgent.slice(0, userAgentCharactersMax),
        at,
        expiresAt: new Date(at.getTime() + sessionLifetimeMs),
      });
      await sessionStore.deleteSurplus(tx, account.id, { ...this.#limits(), keep: sessionsPerAccountMax });
      // Whoever is in needs no reminder of the first key at the next start.
      await apiKeyStore.forgetKept(tx, account.id);
      return { token, session, account };
    });
  }

  /** The principal of an open session; undefined when the token opens none. */
  async principal(token: string): Promise<Principal | undefined> {
    if (!hasSessionTokenShape(token)) return undefined;
    const { db, accounts, clock } = this.#deps;
    const session = await sessionStore.findOpen(db, sessionTokenHash(token), this.#limits());
    const account = session && (await accounts.find(db, session.accountId));
    if (!session || !account) return undefined;
    if (clock.now() - session.lastSeenAt.getTime() >= lastSeenResolutionMs)
      await sessionStore.markSeen(db, session.id, clock.date());
    return { account, credential: { kind: 'session', id: session.id }, protocol: 'web' };
  }

  async list({ account }: Principal): Promise<Session[]> {
    return sessionStore.listOpen(this.#deps.db, account.id, this.#limits());
  }

  async end({ account }: Principal, id: string): Promise<void> {
    if (!(await sessionStore.delete(this.#deps.db, account.id, id))) throw new ApiError('not_found');
  }

  /** Of these sessions, the ones that are still open. */
  async openAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    return sessionStore.openAmong(this.#deps.db, ids, this.#limits());
  }

  async #byKey(apiKey: string): Promise<Principal> {
    try {
      return await this.#deps.authenticator.authenticate(`Bearer ${apiKey}`, 'web');
    } catch (error) {
      if (error instanceof ApiError) throw new ApiError('sign_in_refused');
      throw error;
    }
  }

  async #accountOf(tx: Queryable, by: SignIn): Promise<Account> {
    if ('account' in by) return by.account;
    const { accounts, clock } = this.#deps;
    const token = 'token' in by && hasSessionTokenShape(by.token) ? by.token : undefined;
    const accountId = token && (await signInTokenStore.redeem(tx, sessionTokenHash(token), clock.date()));
    const account = accountId && (await accounts.find(tx, accountId));
    if (!account) throw new ApiError('sign_in_refused');
    return account;
  }

  #limits(): SessionLimits {
    const at = this.#deps.clock.date();
    return { at, seenSince: new Date(at.getTime() - idleMs) };
  }
}
