/** Read-only links to a transcript. Whoever has one needs no account; it ends by itself, or when its owner says so. */
import { createHash, randomBytes } from 'node:crypto';
import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import { type Share, shareStore } from './share-store.ts';

export interface ShareDeps {
  db: Queryable;
  clock: Clock;
}

const sharesMax = 50;
const dayMs = 86_400_000;
const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** The token is told this one time. */
export async function createShare(
  deps: ShareDeps,
  principal: Principal,
  { id, days }: { id: string; days: number },
): Promise<{ share: Share; token: string }> {
  await expectOwned(deps, principal, id);
  const createdAt = deps.clock.date();
  // Links that have ended are of no use to anybody.
  await shareStore.forgetExpired(deps.db, createdAt);
  if ((await shareStore.list(deps.db, id, createdAt)).length >= sharesMax)
    throw new ApiError('invalid_request', {
      message: `A transcript has at most ${sharesMax} links. Revoke one first.`,
    });
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(createdAt.getTime() + days * dayMs);
  const tokenHash = hashOf(token);
  const share = await shareStore.insert(deps.db, { transcriptionId: id, tokenHash, createdAt, expiresAt });
  return { share, token };
}

export async function listShares(deps: ShareDeps, principal: Principal, id: string): Promise<Share[]> {
  await expectOwned(deps, principal, id);
  return await shareStore.list(deps.db, id, deps.clock.date());
}

/** From the next request on the link opens nothing. */
export async function revokeShare(
  deps: ShareDeps,
  principal: Principal,
  { id, shareId }: { id: string; shareId: string },
): Promise<void> {
  await expectOwned(deps, principal, id);
  if (!(await shareStore.delete(deps.db, { transcriptionId: id, id: shareId })))
    throw new ApiError('not_found');
}

/** What a token opens. One that is unknown, expired or revoked opens nothing, and looks the same. */
export async function openShare(
  { db, clock }: ShareDeps,
  token: string,
): Promise<{ transcriptionId: string; accountId: string; expiresAt: Date }> {
  const found = tokenPattern.test(token) ? await shareStore.find(db, hashOf(token), clock.date()) : undefined;
  if (!found) throw new ApiError('not_found');
  return found;
}

async function expectOwned({ db }: ShareDeps, { account }: Principal, id: string): Promise<void> {
  if (!(await transcriptionStore.isOwned(db, account.id, id))) throw new ApiError('not_found');
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
