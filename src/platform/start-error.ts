/** Why Longhand cannot start, as one sentence for the person who runs it. Printed without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
