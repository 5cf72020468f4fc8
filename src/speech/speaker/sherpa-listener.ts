/**
 * The larger speaker models: pyannote's segmentation finds who speaks when inside a chunk, two at once included, and a
 * WeSpeaker network gives the embedding of each stretch. The call blocks, so it stays in a speech process.
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sherpa from 'sherpa-onnx-node';
import type { Chunk } from '../../timeline/chunk-plan.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../timeline/span.ts';
import type { SpeakerWindow } from '../chunk-result.ts';
import type { SpeakerListener } from './speaker-listener.ts';
import { embeddingText } from './voiceprint/embedding-text.ts';

/** pyannote's own clustering works inside one chunk only; the recording's speakers are joined later. */
const localThreshold = 0.5;
/** A long stretch counts as several windows. */
const stretchSamplesMax = 6 * sampleRate;

export async function openSherpaListener([
  segmentation = '',
  embedding = '',
]: readonly string[]): Promise<SpeakerListener> {
  const model = await modelFile(embedding);
  const numThreads = 1;
  const diarization = new sherpa.OfflineSpeakerDiarization({
    segmentation: { pyannote: { model: await modelFile(segmentation) }, numThreads },
    embedding: { model, numThreads },
    clustering: { numClusters: -1, threshold: localThreshold },
    minDurationOn: 0.2,
    minDurationOff: 0.4,
  });
  const extractor = new sherpa.SpeakerEmbeddingExtractor({ model, numThreads });
  return {
    overlapping: true,
    async windows(samples, chunk) {
      return diarization
        .process(samples)
        .toSorted((a, b) => a.start - b.start)
        .flatMap((segment) => stretches(chunk, segment))
        .flatMap((stretch) => windowOf(extractor, samples, chunk, stretch));
    },
  };
}

async function modelFile(directory: string): Promise<string> {
  const name = (await readdir(directory)).find((file) => file.endsWith('.onnx'));
  if (name === undefined) throw new Error(`there is no model in ${directory}`);
  return join(directory, name);
}

/** In samples of the whole recording; a long segment in equal parts. */
export function stretches(chunk: SpeechSpan, segment: { start: number; end: number }): SpeechSpan[] {
  const first = Math.max(chunk.startSample, chunk.startSample + Math.round(segment.start * sampleRate));
  const last = Math.min(chunk.endSample, chunk.startSample + Math.round(segment.end * sampleRate));
  const parts = Math.max(1, Math.ceil((last - first) / stretchSamplesMax));
  return Array.from({ length: last > first ? parts : 0 }, (_, part) => ({
    startSample: first + Math.round(((last - first) * part) / parts),
    endSample: first + Math.round(((last - first) * (part + 1)) / parts),
  }));
}

function windowOf(
  extractor: sherpa.SpeakerEmbeddingExtractor,
  samples: Float32Array,
  chunk: Chunk,
  stretch: SpeechSpan,
): SpeakerWindow[] {
  const stream = extractor.createStream();
  const own = samples.slice(stretch.startSample - chunk.startSample, stretch.endSample - chunk.startSample);
  stream.acceptWaveform({ samples: own, sampleRate });
  stream.inputFinished();
  if (!extractor.isReady(stream)) return [];
  return [{ ...stretch, voice: embeddingText(extractor.compute(stream, false)) }];
}
