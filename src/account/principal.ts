import type { Account } from './account.ts';

/** Through which protocol a request came. */
export type Protocol = 'rest' | 'openai' | 'mcp' | 'web' | 'command';

/** Who asks: an account, by one of its credentials, through one of the protocols. Every use case takes one. */
export interface Principal {
  account: Account;
  credential: { kind: 'key' | 'session' | 'operator'; id: string };
  protocol: Protocol;
  /** Where requests are traced: what this one starts belongs to its trace. */
  traceParent?: string | undefined;
}

/** The operator acts in an account's name: at the command line, or signed in to the web product. */
export function operatorFor(account: Account, signedIn?: Principal): Principal {
  const id = signedIn?.credential.id ?? 'command line';
  return { account, credential: { kind: 'operator', id }, protocol: signedIn?.protocol ?? 'command' };
}
