import { randomUUID } from 'node:crypto';
import type { Account } from '../../src/account/account.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import type { Principal } from '../../src/account/principal.ts';

/** The account itself, as if it had sent one of its keys. */
export function principalOf(account: Account): Principal {
  return { account, credential: { kind: 'key', id: randomUUID() }, protocol: 'rest' };
}

/** For tests that know of an account only its row. */
export function principalOfId(id: string): Principal {
  const plan = parsePlanTable(builtInPlans).get('pro');
  if (!plan) throw new Error('there is no plan pro');
  return principalOf({ id, name: 'test', plan, createdAt: new Date(0), isOperator: false });
}
