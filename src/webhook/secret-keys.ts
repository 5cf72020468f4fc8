/** The keys behind the signing secrets: judged at start, and changed without a pause. */
import type { Database, Queryable } from '../platform/database/database.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { StartError } from '../platform/start-error.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import { secretStore } from './secret-store.ts';
import { secretContext } from './subscription-secret.ts';

/**
 * What is wrong with the keys, as a sentence. Every key that active subscriptions are sealed with must be configured
 * and must open one of them.
 */
export async function secretKeyFault(
  db: Queryable,
  secretBox: SecretBox | undefined,
): Promise<string | undefined> {
  for (const { keyId, subscriptions, subscriptionId, sealedSecret } of await secretStore.keyUses(db)) {
    if (!secretBox)
      return `LONGHAND_SECRET_KEY is not set: deliveries of ${subscriptions} webhook subscriptions wait until the key that sealed their secrets is back.`;
    if (!opens(secretBox, sealedSecret, secretContext(subscriptionId)))
      return `LONGHAND_SECRET_KEY does not open the signing secrets of active webhook subscriptions (${subscriptions} sealed with the key ${keyId}): put the former key back, after the new one and a comma.`;
  }
  return undefined;
}

/** A wrong key is found when the service starts, not when a job ends. Without any the service runs, but sends nothing. */
export async function checkSecretKeys({
  db,
  secretBox,
  logger,
}: {
  db: Queryable;
  secretBox: SecretBox | undefined;
  logger: Logger;
}): Promise<void> {
  const fault = await secretKeyFault(db, secretBox);
  if (fault && secretBox) throw new StartError(fault);
  if (fault) logger.error(fault);
}

/** Seals every secret with the newest key, so that older keys can be taken out of the configuration. */
export async function resealSecrets({
  db,
  secretBox,
}: {
  db: Database;
  secretBox: SecretBox;
}): Promise<number> {
  let resealedCount = 0;
  for (const secret of await secretStore.sealedByOthers(db, secretBox.newestKeyId)) {
    const context = secretContext(secret.subscriptionId);
    const resealed = secretBox.seal(secretBox.open(secret.sealedSecret, context), context);
    if (await secretStore.replace(db, { ...secret, resealed })) resealedCount += 1;
  }
  return resealedCount;
}

function opens(secretBox: SecretBox, sealedSecret: string, context: string): boolean {
  try {
    secretBox.open(sealedSecret, context);
    return true;
  } catch {
    return false;
  }
}
