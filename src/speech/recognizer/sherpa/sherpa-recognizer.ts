import sherpa from 'sherpa-onnx-node';
import { paddedUtterances } from '../../../timeline/chunk-plan.ts';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import { type RecognisedUtterance, voicedSeconds } from '../../../timeline/utterance.ts';
import type { TimedWord } from '../../../timeline/word.ts';
import type { Recognizer, RecognizerInput } from '../recognizer.ts';
import { spokenText } from '../spoken-text.ts';
import { sherpaBundle } from './sherpa-bundle.ts';

/** Any transducer or CTC model for sherpa-onnx: Parakeet, Zipformer, SenseVoice. These give times for their words. */
export class SherpaRecognizer implements Recognizer {
  readonly id: string;
  readonly #native: sherpa.OfflineRecognizer;

  private constructor(id: string, native: sherpa.OfflineRecognizer) {
    this.id = id;
    this.#native = native;
  }

  static async load(id: string, directory: string): Promise<SherpaRecognizer> {
    const native = await sherpa.OfflineRecognizer.createAsync({
      featConfig: { sampleRate, featureDim: 80 },
      modelConfig: { ...(await sherpaBundle(directory)), numThreads: 1, provider: 'cpu', debug: 0 },
    });
    return new SherpaRecognizer(id, native);
  }

  async recognise({ samples, chunk, language, signal }: RecognizerInput): Promise<RecognisedUtterance[]> {
    const recognised: RecognisedUtterance[] = [];
    const padded = paddedUtterances(chunk);
    for (const [i, utterance] of chunk.utterances.entries()) {
      signal.throwIfAborted();
      const { startSample, endSample } = padded[i] ?? utterance;
      const stream = this.#native.createStream();
      const audio = samples.slice(startSample - chunk.startSample, endSample - chunk.startSample);
      stream.acceptWaveform({ samples: audio, sampleRate });
      const result = await this.#native.decodeAsync(stream);
      const text = spokenText(result.text, voicedSeconds([utterance]));
      if (text === '') continue;
      const words = wordsOfTokens(result, { startSample, endSample });
      // Words whose repetitions were cut, or without times, are laid onto the voice instead.
      const timed = text === result.text.trim() && words.length > 0;
      recognised.push({
        ...utterance,
        text,
        language: languageOf(result.lang) ?? language,
        ...(timed && { words }),
      });
    }
    return recognised;
  }
}

/** SenseVoice gives `<|en|>`; the others give nothing. */
function languageOf(token: string | undefined): string | null {
  return /^<\|([a-z]{2,3})\|>$/.exec(token ?? '')?.[1] ?? null;
}

/** Joins subword tokens: one that begins with a space (or `▁`) begins a word. */
export function wordsOfTokens(
  { tokens, timestamps }: Pick<sherpa.OfflineResult, 'tokens' | 'timestamps'>,
  extent: { startSample: number; endSample: number },
): TimedWord[] {
  const words: TimedWord[] = [];
  if (timestamps.length !== tokens.length) return words;
  for (const [i, token] of tokens.entries()) {
    const piece = token.replaceAll('▁', ' ');
    const startSample = Math.min(
      extent.endSample,
      extent.startSample + Math.round((timestamps[i] ?? 0) * sampleRate),
    );
    const last = words.at(-1);
    if (last && !piece.startsWith(' ')) {
      last.text += piece;
      continue;
    }
    if (last) last.endSample = Math.max(last.startSample, startSample);
    words.push({
      text: words.length === 0 ? ` ${piece.trim()}` : piece,
      startSample,
      endSample: extent.endSample,
    });
  }
  return words.filter((word) => word.text.trim() !== '');
}
