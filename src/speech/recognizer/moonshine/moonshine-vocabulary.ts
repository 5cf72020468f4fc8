import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Llama's vocabulary, one token on each line: its bytes in base64, and its number. */
export class MoonshineVocabulary {
  readonly start = 1;
  readonly end = 2;
  readonly #tokens: readonly Buffer[];

  private constructor(tokens: readonly Buffer[]) {
    this.#tokens = tokens;
  }

  static async load(directory: string): Promise<MoonshineVocabulary> {
    const text = await readFile(join(directory, 'tokens.txt'), 'utf8');
    const lines = text.trimEnd().split('\n');
    return new MoonshineVocabulary(lines.map((line) => Buffer.from(line.split(' ')[0] ?? '', 'base64')));
  }

  textOf(tokens: readonly number[]): string {
    return Buffer.concat(tokens.map((token) => this.#tokens[token] ?? Buffer.alloc(0))).toString();
  }
}
