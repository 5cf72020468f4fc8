/** An account's API keys, as its owner looks after them. */
import { z } from 'zod';
import { webRequest } from './web-request.ts';

const dayMs = 86_400_000;
const expiryDaysMax = 3_650;

export const keyBody = webRequest(
  z.object({
    name: z.string().trim().min(1).max(100),
    expires_in_days: z.int().min(1).max(expiryDaysMax).nullable(),
  }),
);

export function createApiKeyCommand({ name, expires_in_days: days }: z.infer<typeof keyBody>) {
  return { name, validMs: days === null ? null : days * dayMs };
}

interface ApiKeyFields {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

export function apiKeyOnWire(key: ApiKeyFields, { isActive }: { isActive: boolean }) {
  return {
    id: key.id,
    name: key.name,
    is_active: isActive,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}
