import { createHash, randomBytes } from 'node:crypto';

const tokenBytes = 32;
const shape = /^[A-Za-z0-9_-]{43}$/;

/** For a cookie or a sign-in link: 256 random bits. Only its hash is stored. */
export function generateSessionToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

export function hasSessionTokenShape(text: string): boolean {
  return shape.test(text);
}

export function sessionTokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
