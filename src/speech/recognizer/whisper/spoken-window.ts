import { paddedUtterances } from '../../../timeline/chunk-plan.ts';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../../timeline/span.ts';
import type { TimedWord } from '../../../timeline/word.ts';
import type { AlignedWord } from '../decoding/aligned-words.ts';
import type { RecognizerInput } from '../recognizer.ts';

/** The utterances of a chunk one after the other, without the silence between them, in which Whisper would hallucinate. */
export class SpokenWindow {
  readonly samples: Float32Array;
  readonly #pieces: SpeechSpan[];

  constructor({ samples, chunk }: RecognizerInput) {
    this.#pieces = paddedUtterances(chunk);
    const length = this.#pieces.reduce((sum, piece) => sum + piece.endSample - piece.startSample, 0);
    this.samples = new Float32Array(length);
    let at = 0;
    for (const piece of this.#pieces) {
      const part = samples.subarray(
        piece.startSample - chunk.startSample,
        piece.endSample - chunk.startSample,
      );
      this.samples.set(part, at);
      at += piece.endSample - piece.startSample;
    }
  }

  /** The word with times of the whole recording; it stays within its own utterance. */
  onTimeline({ text, startSeconds, endSeconds, confidence }: AlignedWord): TimedWord {
    const middle = ((startSeconds + endSeconds) / 2) * sampleRate;
    let pieceStart = 0;
    for (const [i, piece] of this.#pieces.entries()) {
      const length = piece.endSample - piece.startSample;
      if (middle < pieceStart + length || i === this.#pieces.length - 1) {
        const sampleAt = (seconds: number) =>
          piece.startSample + clamp(Math.round(seconds * sampleRate) - pieceStart, 0, length);
        return { text, startSample: sampleAt(startSeconds), endSample: sampleAt(endSeconds), confidence };
      }
      pieceStart += length;
    }
    throw new Error('a chunk without utterances was recognised');
  }
}

function clamp(value: number, from: number, to: number): number {
  return Math.min(to, Math.max(from, value));
}
