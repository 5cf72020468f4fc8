import type { Plan, PlanTable } from './plan.ts';

export interface Account {
  id: string;
  name: string;
  plan: Plan;
  createdAt: Date;
  /** Sees the operator's page of the web product. */
  isOperator: boolean;
}

/** A fault that the person at the command line can mend; its message is for them. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

export function planNamed(plans: PlanTable, name: string): Plan {
  const plan = plans.get(name);
  if (!plan) throw new AccountError(`There is no plan "${name}". Plans: ${[...plans.keys()].join(', ')}.`);
  return plan;
}
