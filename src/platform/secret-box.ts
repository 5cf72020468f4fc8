/**
 * Seals short secrets for rest in the database: AES-256-GCM with a random nonce. The newest key seals, every
 * configured key opens, so an operator can rotate by putting a new key in front of the old one.
 *
 * Sealed text: `v1.<key id>.<base64url of nonce, ciphertext and tag>`. The context (whose secret it is) is
 * authenticated with it, so a sealed text copied to another row does not open there.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const sealedPattern = /^v1\.([0-9a-f]{16})\.([A-Za-z0-9_-]+)$/;

/** A sealed text that this box cannot open: its key is not configured, or the text or context was changed. */
export class SecretUnreadable extends Error {
  override readonly name = 'SecretUnreadable';
}

export class SecretBox {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly newestKeyId: string;

  /** Keys in order, newest first. */
  constructor(keys: readonly Buffer[]) {
    const [newest] = keys;
    if (!newest) throw new Error('a secret box needs a key');
    for (const key of keys) {
      if (key.length !== keyBytes) throw new Error(`a secret key must have ${keyBytes} bytes`);
    }
    this.#keys = new Map(keys.map((key) => [keyIdOf(key), key]));
    this.newestKeyId = keyIdOf(newest);
  }

  seal(secret: string, context: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#keyOf(this.newestKeyId), nonce, {
      authTagLength: tagBytes,
    });
    cipher.setAAD(Buffer.from(context, 'utf8'));
    const sealed = Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `v1.${this.newestKeyId}.${sealed.toString('base64url')}`;
  }

  open(sealedText: string, context: string): string {
    const [, keyId = '', encoded = ''] = sealedPattern.exec(sealedText) ?? [];
    const sealed = Buffer.from(encoded, 'base64url');
    if (sealed.length < nonceBytes + tagBytes) throw new SecretUnreadable('this is not a sealed text');
    const nonce = sealed.subarray(0, nonceBytes);
    const decipher = createDecipheriv('aes-256-gcm', this.#keyOf(keyId), nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(context, 'utf8'));
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    try {
      return (
        decipher.update(sealed.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
      );
    } catch (cause) {
      throw new SecretUnreadable('the sealed text or its context was changed', { cause });
    }
  }

  #keyOf(keyId: string): Buffer {
    const key = this.#keys.get(keyId);
    if (!key) throw new SecretUnreadable(`the key ${keyId || 'of this text'} is not configured`);
    return key;
  }
}

function keyIdOf(key: Buffer): string {
  return createHash('sha256').update('longhand secret key\n').update(key).digest('hex').slice(0, 16);
}

/** Reads the setting: one or more keys of 32 bytes in base64, separated by commas, newest first. */
export function parseSecretKeys(setting: string): Buffer[] {
  const keys = setting
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const key = Buffer.from(part, 'base64');
      const canonical = /^[A-Za-z0-9+/_-]+={0,2}$/.test(part);
      if (!canonical || key.length !== keyBytes) {
        throw new Error('must be 32 bytes in base64; several keys are separated by commas, newest first');
      }
      return key;
    });
  if (keys.length === 0) throw new Error('must hold at least one key of 32 bytes in base64');
  return keys;
}
