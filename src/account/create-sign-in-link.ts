import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import type { Principal } from './principal.ts';
import { generateSessionToken, sessionTokenHash } from './session-token.ts';
import { signInTokenStore } from './sign-in-token-store.ts';

/** Time to copy a link from a terminal into a browser. */
export const signInLinkMs = 15 * 60_000;
/** The one of a first start waits for its reader; the next start shows a new one. */
export const firstSignInLinkMs = 24 * 3_600_000;

export interface SignInLink {
  /** Below the address of the service. */
  path: string;
  expiresAt: Date;
}

/** A link that opens a session of the account once. */
export async function createSignInLink(
  { db, clock }: { db: Queryable; clock: Clock },
  { account }: Principal,
  { validMs }: { validMs: number },
): Promise<SignInLink> {
  const token = generateSessionToken();
  const at = clock.date();
  const expiresAt = new Date(at.getTime() + validMs);
  await signInTokenStore.insert(db, {
    tokenHash: sessionTokenHash(token),
    accountId: account.id,
    at,
    expiresAt,
  });
  return { path: `/signin?token=${token}`, expiresAt };
}
