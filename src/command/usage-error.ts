/** A mistake of the person who typed the command: nothing was done. Its message is the sentence they read. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly exitCode = 2;
}
