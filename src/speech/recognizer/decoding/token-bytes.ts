/** The bytes of text that each token of a vocabulary stands for, and the way back. */
export class TokenBytes {
  readonly #bytes: readonly (Buffer | undefined)[];
  #tokens: Map<string, number> | undefined;

  constructor(bytes: readonly (Buffer | undefined)[]) {
    this.#bytes = bytes;
  }

  bytesOf(token: number): Buffer {
    return this.#bytes[token] ?? Buffer.alloc(0);
  }

  /** Of several with the same bytes the last: single bytes stand before the characters that they are. */
  tokenOf(bytes: Buffer): number | undefined {
    this.#tokens ??= new Map(
      this.#bytes.flatMap((own, token) => (own ? [[own.toString('latin1'), token]] : [])),
    );
    return this.#tokens.get(bytes.toString('latin1'));
  }

  textOf(tokens: readonly number[]): string {
    return Buffer.concat(tokens.map((token) => this.bytesOf(token))).toString();
  }
}
