import { createSignInLink, signInLinkMs } from '../account/create-sign-in-link.ts';
import { operatorFor } from '../account/principal.ts';
import { PublicUrl } from '../http/public-url.ts';
import { isWebProductOn } from '../service/web.ts';
import { accountFor } from './account-for.ts';
import { onFoundation, print } from './command-context.ts';
import { UsageError } from './usage-error.ts';

export async function signIn(options: { account?: string; json?: boolean }): Promise<void> {
  await onFoundation(async ({ config, db, accounts, clock }) => {
    if (!isWebProductOn(config))
      throw new UsageError(
        'The web product is off: LONGHAND_DOORS does not name web, or ./setup has not built its pages.',
      );
    const account = await accountFor(accounts, db, options.account);
    const link = await createSignInLink({ db, clock }, operatorFor(account), { validMs: signInLinkMs });
    // A service on port 0 chose its port itself; only it can tell.
    const url = new PublicUrl(config).base + link.path;
    print({ url, account: account.id, expires_at: link.expiresAt.toISOString() }, options, () => [
      `Open this in a browser within ${signInLinkMs / 60_000} minutes; it signs in once:`,
      '',
      `  ${url}`,
      '',
    ]);
  });
}
