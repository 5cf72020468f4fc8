/** A command that was typed right and still could not do its work. Its message is the sentence that is read. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;
  /** Where another try may help: after so many milliseconds at the earliest. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    { exitCode = 1, cause, retryAfterMs }: { exitCode?: number; cause?: unknown; retryAfterMs?: number } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.exitCode = exitCode;
    this.retryAfterMs = retryAfterMs;
  }
}
