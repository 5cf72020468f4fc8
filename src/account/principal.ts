import type { Account } from './account.ts';

/** Through which protocol a request came. */
export type Door = 'rest' | 'openai' | 'mcp' | 'web';

/** Who asks: an account, by one of its credentials, through one of the doors. Every use case takes one. */
export interface Principal {
  account: Account;
  credential: { kind: 'key' | 'session'; id: string };
  door: Door;
}
