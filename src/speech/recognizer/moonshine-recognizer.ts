import { join } from 'node:path';
import sherpa from 'sherpa-onnx-node';
import { paddedUtterances, paddingSamples } from '../../timeline/chunk-plan.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../timeline/span.ts';
import { type RecognisedUtterance, type Utterance, voicedSeconds } from '../../timeline/utterance.ts';
import type { Recognizer, RecognizerInput } from './recognizer.ts';
import { spokenText } from './spoken-text.ts';

/** Speech of this length always has words; an empty result is the model's failure. */
const voicedSecondsWithWords = 1;

export class MoonshineRecognizer implements Recognizer {
  readonly id: string;
  readonly #native: sherpa.OfflineRecognizer;

  private constructor(id: string, native: sherpa.OfflineRecognizer) {
    this.id = id;
    this.#native = native;
  }

  static async load(id: string, directory: string): Promise<MoonshineRecognizer> {
    const native = await sherpa.OfflineRecognizer.createAsync({
      featConfig: { sampleRate, featureDim: 80 },
      modelConfig: {
        moonshine: {
          encoder: join(directory, 'encoder.onnx'),
          mergedDecoder: join(directory, 'decoder.onnx'),
        },
        tokens: join(directory, 'tokens.txt'),
        // One thread for each process: several processes beat many threads on the same cores.
        numThreads: 1,
        provider: 'cpu',
        debug: 0,
      },
    });
    return new MoonshineRecognizer(id, native);
  }

  async recognise({ samples, chunk, signal }: RecognizerInput): Promise<RecognisedUtterance[]> {
    const recognised: RecognisedUtterance[] = [];
    const padded = paddedUtterances(chunk);
    for (const [i, utterance] of chunk.utterances.entries()) {
      signal.throwIfAborted();
      const extent = padded[i] ?? utterance;
      const text = await this.#text(samples, extent, utterance, chunk.startSample);
      if (text !== '') recognised.push({ ...utterance, text, language: 'en' });
    }
    return recognised;
  }

  /** Moonshine sometimes gives no text for speech that it recognises without the padding before and after it. */
  async #text(
    samples: Float32Array,
    padded: SpeechSpan,
    utterance: Utterance,
    offset: number,
  ): Promise<string> {
    const voiced = voicedSeconds([utterance]);
    for (const { startSample, endSample } of [padded, utterance]) {
      const decoded = await this.#decode(
        inSilence(samples.subarray(startSample - offset, endSample - offset), {
          before: paddingSamples - (utterance.startSample - startSample),
          after: paddingSamples - (endSample - utterance.endSample),
        }),
      );
      const text = spokenText(decoded, voiced);
      if (text !== '' || voiced < voicedSecondsWithWords) return text;
    }
    return '';
  }

  async #decode(samples: Float32Array): Promise<string> {
    const stream = this.#native.createStream();
    stream.acceptWaveform({ samples, sampleRate });
    const { text } = await this.#native.decodeAsync(stream);
    return text;
  }
}

/** A word without silence before it is misrecognised: "eight" at the very beginning of a recording became "hate". */
function inSilence(
  samples: Float32Array,
  { before, after }: { before: number; after: number },
): Float32Array {
  const framed = new Float32Array(before + samples.length + after);
  framed.set(samples, before);
  return framed;
}
