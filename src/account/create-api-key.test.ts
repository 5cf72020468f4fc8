import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../../test/support/database.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { principalOf } from '../../test/support/principal.ts';
import { ApiError } from '../contract/errors.ts';
import { accountStore } from './account-store.ts';
import { createApiKey } from './create-api-key.ts';
import { builtInPlans, parsePlanTable } from './plan.ts';
import { operatorFor } from './principal.ts';
import { revokeApiKey } from './revoke-api-key.ts';

test('an account makes itself at most 100 keys that are active; the operator may give it more', async (t) => {
  const db = await openTestDatabase(t);
  const clock = new ManualClock(Date.parse('2026-03-01T12:00:00Z'));
  const account = await accountStore(parsePlanTable(builtInPlans)).create(db, { name: 'a', plan: 'pro' });
  const [owner, stranger] = [principalOf(account), principalOf({ ...account, id: crypto.randomUUID() })];
  const make = (validMs: number | null, principal = owner) =>
    createApiKey({ db, clock }, principal, { name: 'k', validMs });
  const refusedWith = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

  const [first] = await Promise.all(Array.from({ length: 99 }, () => make(null)));
  await make(60_000);
  await assert.rejects(make(null), refusedWith('invalid_web_request'));
  await make(60_000, operatorFor(account));
  await clock.advance(60_000);
  await make(null);
  await assert.rejects(make(null), refusedWith('invalid_web_request'));
  const id = first?.id ?? '';
  await assert.rejects(revokeApiKey({ db }, stranger, id), refusedWith('not_found'));
  await revokeApiKey({ db }, owner, id);
  await make(null);
});
