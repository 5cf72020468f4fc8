import { randomUUID } from 'node:crypto';
import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { CreateSubscriptionCommand, Subscription } from '../contract/webhook.ts';
import type { Database } from '../platform/database/database.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { CheckReceiverUrl } from './receiver-url.ts';
import { newSigningSecret } from './signature.ts';
import { secretContext } from './subscription-secret.ts';
import { subscriptionStore } from './subscription-store.ts';

export interface CreateSubscriptionDeps {
  db: Database;
  /** Undefined when no key is configured. */
  secretBox: SecretBox | undefined;
  checkReceiverUrl: CheckReceiverUrl;
}

/** The checks stand in the order in which the caller hears of them. */
export async function createSubscription(
  { db, secretBox, checkReceiverUrl }: CreateSubscriptionDeps,
  { account }: Principal,
  command: CreateSubscriptionCommand,
): Promise<{ subscription: Subscription; signingSecret: string }> {
  const url = await checkReceiverUrl(command.url);
  if (url === undefined) throw new ApiError('invalid_webhook_url');
  if (command.events.length === 0) throw new ApiError('invalid_webhook_events');
  if (!secretBox) throw new ApiError('webhooks_unavailable');
  const id = randomUUID();
  const signingSecret = newSigningSecret();
  const subscription = await subscriptionStore.add(db, {
    id,
    accountId: account.id,
    url,
    events: command.events,
    sealedSecret: secretBox.seal(signingSecret, secretContext(id)),
  });
  if (!subscription) throw new ApiError('webhook_subscription_limit_reached');
  return { subscription, signingSecret };
}
