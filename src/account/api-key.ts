import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'lh_';
const entropyLength = 30;
const checksumLength = 6;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const shape = /^lh_[0-9A-Za-z]{36}$/;

/** A fresh key: 30 characters of entropy (178 bits) and a checksum that tells a typing error from a stranger. */
export function generateApiKey(): string {
  let entropy = '';
  for (let index = 0; index < entropyLength; index += 1) entropy += alphabet[randomInt(alphabet.length)];
  return prefix + entropy + checksumOf(entropy);
}

export function hasApiKeyShape(key: string): boolean {
  return shape.test(key);
}

export function hasValidChecksum(key: string): boolean {
  if (!hasApiKeyShape(key)) return false;
  const entropy = key.slice(prefix.length, prefix.length + entropyLength);
  return key.endsWith(checksumOf(entropy));
}

export function apiKeyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

function checksumOf(entropy: string): string {
  let rest = crc32(entropy);
  let text = '';
  while (text.length < checksumLength) {
    text = alphabet[rest % alphabet.length] + text;
    rest = Math.floor(rest / alphabet.length);
  }
  return text;
}
