/** A command that was typed right and still could not do its work. Its message is the sentence that is read. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: number; cause?: unknown } = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.exitCode = exitCode;
  }
}
