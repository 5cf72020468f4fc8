/** A mistake of the person who typed the command; its message is the sentence they read. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
