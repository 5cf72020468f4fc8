import { type ApiKey, apiKeyStore } from '../account/api-key-store.ts';
import { createApiKey } from '../account/create-api-key.ts';
import { isActiveKey } from '../account/is-active-key.ts';
import { operatorFor } from '../account/principal.ts';
import { accountFor } from './account-for.ts';
import { onFoundation, print, table } from './command-context.ts';
import { UsageError } from './usage-error.ts';

interface Output {
  json?: boolean;
}

const unitMs: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const expiryDaysMax = 3_650;

export async function createKey(
  options: Output & { account?: string; name?: string; expires?: string },
): Promise<void> {
  await onFoundation(async ({ db, accounts, clock }) => {
    const account = await accountFor(accounts, db, options.account);
    const created = await createApiKey({ db, clock }, operatorFor(account), {
      name: options.name ?? 'key',
      validMs: options.expires === undefined ? null : durationMs(options.expires),
    });
    const { id, key, name } = created;
    print({ id, key, name, expires_at: created.expiresAt?.toISOString() ?? null }, options, () => [
      'The key, shown only this once:',
      '',
      `  ${key}`,
      '',
      `Its id is ${id}${created.expiresAt ? `; it expires ${created.expiresAt.toISOString()}` : ''}.`,
    ]);
  });
}

export async function listKeys(options: Output & { account?: string }): Promise<void> {
  await onFoundation(async ({ db, accounts, clock }) => {
    const account = await accountFor(accounts, db, options.account);
    const keys = await apiKeyStore.list(db, account.id);
    print({ keys: keys.map(summary) }, options, () =>
      table([
        ['ID', 'STATE', 'CREATED', 'LAST USED', 'NAME'],
        ...keys.map((key) => [
          key.id,
          state(key, clock.now()),
          time(key.createdAt),
          time(key.lastUsedAt),
          key.name,
        ]),
      ]),
    );
  });
}

export async function revokeKey(id: string, options: Output): Promise<void> {
  await onFoundation(async ({ db }) => {
    const key = await apiKeyStore.revoke(db, id);
    print(summary(key), options, () => [`Key ${key.id} is revoked; it stops at the next request.`]);
  });
}

function durationMs(text: string): number {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,4})([hdw])$/.exec(text) ?? [];
  const ms = Number(count) * (unitMs[unit] ?? Number.NaN);
  if (Number.isNaN(ms) || ms === 0 || ms > expiryDaysMax * (unitMs.d ?? 0)) {
    throw new UsageError(
      `--expires is a number of hours, days or weeks such as 12h, 90d or 8w, at most ten years; not "${text}".`,
    );
  }
  return ms;
}

function summary(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

function state(key: ApiKey, nowMs: number): string {
  if (key.revokedAt) return 'revoked';
  return isActiveKey(key, nowMs) ? 'active' : 'expired';
}

function time(date: Date | null): string {
  return date ? date.toISOString().slice(0, 16).replace('T', ' ') : 'never';
}
