import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TokenBytes } from '../decoding/token-bytes.ts';

/** Llama's vocabulary, one token on each line: its bytes in base64, and its number. */
export class MoonshineVocabulary {
  readonly start = 1;
  readonly end = 2;
  readonly text: TokenBytes;

  private constructor(tokens: readonly Buffer[]) {
    // The first three stand for no text.
    this.text = new TokenBytes(tokens.map((bytes, token) => (token > this.end ? bytes : undefined)));
  }

  static async load(directory: string): Promise<MoonshineVocabulary> {
    const text = await readFile(join(directory, 'tokens.txt'), 'utf8');
    const lines = text.trimEnd().split('\n');
    return new MoonshineVocabulary(lines.map((line) => Buffer.from(line.split(' ')[0] ?? '', 'base64')));
  }

  textOf(tokens: readonly number[]): string {
    return this.text.textOf(tokens);
  }
}
