import type { Account } from '../account/account.ts';
import { mostGenerousPlan } from '../account/plan.ts';
import { onFoundation, print, table } from './command-context.ts';
import { UsageError } from './usage-error.ts';

interface Output {
  json?: boolean;
}

export async function createAccount(name: string, options: Output & { plan?: string }): Promise<void> {
  const trimmed = name.trim();
  if (trimmed === '' || trimmed.length > 200)
    throw new UsageError('The name of an account has 1 to 200 characters.');
  await onFoundation(async ({ db, accounts, config }) => {
    const plan = options.plan ?? mostGenerousPlan(config.plans).name;
    const account = await accounts.create(db, { name: trimmed, plan });
    print(summary(account), options, () => [
      `Account ${account.id} ("${account.name}") is on the plan ${account.plan.name}.`,
      `Give it a key with: longhand key create --account ${account.id}`,
    ]);
  });
}

export async function listAccounts(options: Output): Promise<void> {
  await onFoundation(async ({ db, accounts }) => {
    const all = await accounts.list(db);
    print({ accounts: all.map(summary) }, options, () =>
      table([
        ['ID', 'PLAN', 'CREATED', 'NAME'],
        ...all.map((one) => [one.id, one.plan.name, day(one.createdAt), one.name]),
      ]),
    );
  });
}

export async function changePlan(id: string, plan: string, options: Output): Promise<void> {
  await onFoundation(async ({ db, accounts }) => {
    const account = await accounts.setPlan(db, id, plan);
    print(summary(account), options, () => [
      `Account ${account.id} is on the plan ${account.plan.name} now.`,
    ]);
  });
}

export async function changeOperator(id: string, options: Output & { revoke?: boolean }): Promise<void> {
  const isOperator = options.revoke !== true;
  await onFoundation(async ({ db, accounts }) => {
    const account = await accounts.setOperator(db, id, isOperator);
    print({ ...summary(account), is_operator: account.isOperator }, options, () => [
      isOperator
        ? `Account ${account.id} sees the operator's page of the web product now.`
        : `Account ${account.id} does not see the operator's page any more.`,
    ]);
  });
}

function summary({ id, name, plan }: Account) {
  return { id, name, plan: plan.name };
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
