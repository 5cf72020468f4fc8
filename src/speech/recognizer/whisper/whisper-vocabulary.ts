import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TokenBytes } from '../decoding/token-bytes.ts';
import { type GenerationConfig, languageTokens, readGenerationConfig } from './generation-config.ts';

const timestampSeconds = 0.02;

/** The tokens of a Whisper model: which mean what, and which bytes of text they stand for. */
export class WhisperVocabulary {
  readonly start: number;
  readonly end: number;
  readonly transcribe: number;
  readonly translate: number;
  /** The timestamp token of 0.00 s; the others follow in steps of 20 ms. */
  readonly firstTimestamp: number;
  /** Stands two before the first timestamp token, in every size. */
  readonly noSpeech: number;
  readonly languages: ReadonlyMap<string, number>;
  readonly suppressed: readonly number[];
  readonly suppressedAtStart: readonly number[];
  /** [layer, head] of the cross-attentions that follow the audio. */
  readonly alignmentHeads: readonly (readonly [number, number])[];
  readonly text: TokenBytes;

  private constructor(config: GenerationConfig, tokens: Record<string, number>) {
    this.start = config.decoder_start_token_id;
    this.end = config.eos_token_id;
    this.transcribe = config.task_to_id.transcribe;
    this.translate = config.task_to_id.translate;
    this.firstTimestamp = config.no_timestamps_token_id + 1;
    this.noSpeech = config.no_timestamps_token_id - 1;
    this.languages = languageTokens(config);
    this.suppressed = config.suppress_tokens;
    this.suppressedAtStart = config.begin_suppress_tokens;
    this.alignmentHeads = config.alignment_heads;
    const bytes: Buffer[] = [];
    const byteOf = byteAlphabet();
    for (const [token, id] of Object.entries(tokens)) {
      if (this.isText(id))
        bytes[id] = Buffer.from(Array.from(token, (character) => byteOf.get(character) ?? 63));
    }
    this.text = new TokenBytes(bytes);
  }

  static async load(directory: string): Promise<WhisperVocabulary> {
    const vocabulary = await readFile(join(directory, 'vocab.json'), 'utf8');
    // Not checked entry by entry, which takes a tenth of a second for fifty thousand.
    return new WhisperVocabulary(await readGenerationConfig(directory), JSON.parse(vocabulary));
  }

  isText(token: number): boolean {
    return token < this.end;
  }

  isTimestamp(token: number): boolean {
    return token >= this.firstTimestamp;
  }

  secondsOf(timestamp: number): number {
    return (timestamp - this.firstTimestamp) * timestampSeconds;
  }

  timestampAt(seconds: number): number {
    return this.firstTimestamp + Math.round(seconds / timestampSeconds);
  }

  textOf(tokens: readonly number[]): string {
    return this.text.textOf(tokens);
  }
}

/** Byte-pair vocabularies write every byte as a printable character; this is the way back. */
function byteAlphabet(): Map<string, number> {
  const printable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  const alphabet = new Map<string, number>();
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    alphabet.set(String.fromCodePoint(printable(byte) ? byte : next++), byte);
  }
  return alphabet;
}
