/** The speaker model that is installed by default: an x-vector for every window of a chunk's speech. */

import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { SpeakerWindow } from '../chunk-result.ts';
import type { SpeakerListener } from './speaker-listener.ts';
import { bridgedSpans, speakerWindows } from './turn/speaker-windows.ts';
import { embeddingText } from './voiceprint/embedding-text.ts';
import { openXVectorEmbedder, type SpeakerEmbedder } from './voiceprint/x-vector-embedder.ts';

export async function openXVectorListener(directory: string): Promise<SpeakerListener> {
  const embedder = await openXVectorEmbedder(directory);
  return { overlapping: false, windows: (samples, chunk) => windowsOf(embedder, samples, chunk) };
}

async function windowsOf(
  embedder: SpeakerEmbedder,
  samples: Float32Array,
  chunk: Chunk,
): Promise<SpeakerWindow[]> {
  const spans = speakerWindows(
    bridgedSpans(
      chunk.utterances.flatMap((utterance) => utterance.spans),
      chunk,
    ),
  );
  const inside = spans.map((span) => ({
    startSample: span.startSample - chunk.startSample,
    endSample: span.endSample - chunk.startSample,
  }));
  const embeddings = await embedder.embed(samples, inside);
  return embeddings.flatMap((embedding, index) => {
    const span = spans[index];
    return span ? [{ ...span, voice: embeddingText(embedding) }] : [];
  });
}
