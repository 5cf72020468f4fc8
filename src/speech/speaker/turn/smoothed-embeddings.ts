/** Less noisy embeddings: that of one window depends on what is said in its 1.5 s, and its neighbours mostly have the same speaker. */

import type { SpeechSpan } from '../../../timeline/span.ts';
import { dot, type Embedding, unitLength } from '../voiceprint/embedding.ts';

export interface EmbeddedWindow extends SpeechSpan {
  embedding: Embedding;
}

/** What a neighbour counts beside the window itself. */
const neighbourWeight = 0.4;
/** Two windows that are less similar may lie on both sides of a change of speakers. */
const cosineMinNeighbours = 0.4;

/** Each window's embedding averaged with those of the windows that it touches. In order of time. */
export function smoothedEmbeddings(windows: readonly EmbeddedWindow[]): Embedding[] {
  return windows.map((window, index) => {
    const sum = Float32Array.from(window.embedding);
    for (const neighbour of [windows[index - 1], windows[index + 1]]) {
      if (!neighbour || !touches(window, neighbour)) continue;
      if (dot(window.embedding, neighbour.embedding) < cosineMinNeighbours) continue;
      neighbour.embedding.forEach((value, item) => {
        sum[item] = (sum[item] as number) + neighbourWeight * value;
      });
    }
    return unitLength(sum);
  });
}

function touches(one: SpeechSpan, other: SpeechSpan): boolean {
  return one.startSample <= other.endSample && other.startSample <= one.endSample;
}
