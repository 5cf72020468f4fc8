import type { KeyObject } from 'node:crypto';
import type { SecretBox } from '../platform/secret-box.ts';
import { signingKey } from './signature.ts';

/** Opened keys that are kept at hand; beyond it all are forgotten and opened anew. */
const keysMax = 1_000;

/** What a sealed signing secret is bound to: it opens for its own subscription only. */
export function secretContext(subscriptionId: string): string {
  return `webhook_subscription ${subscriptionId}`;
}

/** Opens each sealed secret once instead of at every attempt. */
export class SigningKeys {
  readonly #secretBox: SecretBox;
  readonly #keys = new Map<string, KeyObject>();

  constructor(secretBox: SecretBox) {
    this.#secretBox = secretBox;
  }

  of({ subscriptionId, sealedSecret }: { subscriptionId: string; sealedSecret: string }): KeyObject {
    const known = this.#keys.get(sealedSecret);
    if (known) return known;
    const key = signingKey(this.#secretBox.open(sealedSecret, secretContext(subscriptionId)));
    if (this.#keys.size >= keysMax) this.#keys.clear();
    this.#keys.set(sealedSecret, key);
    return key;
  }
}
