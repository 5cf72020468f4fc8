/** Signing in, the account that is signed in, and its sessions. */
import { z } from 'zod';
import { webRequest } from './web-request.ts';

const secretCharactersMax = 200;

export const signInBody = webRequest(
  z
    .object({
      token: z.string().max(secretCharactersMax).optional(),
      api_key: z.string().trim().max(secretCharactersMax).optional(),
    })
    .refine(({ token, api_key }) => (token === undefined) !== (api_key === undefined)),
);

export function signInCommand({
  token,
  api_key: apiKey = '',
}: z.infer<typeof signInBody>): { token: string } | { apiKey: string } {
  return token === undefined ? { apiKey } : { token };
}

interface SignedInFields {
  id: string;
  name: string;
  isOperator: boolean;
  plan: {
    name: string;
    fileBytesMax: number;
    mediaSecondsMax: number;
    dailyTranscriptionsMax: number;
    speakerDiarization: boolean;
  };
}

export function signedInOnWire({ id, name, plan, isOperator }: SignedInFields) {
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

/** Whoever opens a page: an account with what it used of its allowance, or nobody yet. */
export function visitorOnWire(
  visitor: { account: SignedInFields; usedToday: number } | { hasIdentityProvider: boolean },
) {
  if ('account' in visitor)
    return { account: { ...signedInOnWire(visitor.account), used_today: visitor.usedToday } };
  return { account: null, has_identity_provider: visitor.hasIdentityProvider };
}

interface SessionFields {
  id: string;
  userAgent: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

export function sessionOnWire(session: SessionFields, { isCurrent }: { isCurrent: boolean }) {
  return {
    id: session.id,
    is_current: isCurrent,
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    last_seen_at: session.lastSeenAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}
