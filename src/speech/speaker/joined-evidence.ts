import type { ChunkResult, SpeakerEmbeddings, SpeakerEvidence } from '../chunk-result.ts';

/** What all chunks of a recording know of its speakers, in order. A chunk without evidence leaves a gap; only when all are without, none is left. */
export function joinedEvidence(results: readonly Pick<ChunkResult, 'speakers'>[]): SpeakerEvidence {
  const windows: SpeakerEmbeddings['windows'] = [];
  let first: SpeakerEmbeddings | undefined;
  let fault: SpeakerEvidence | undefined;
  for (const { speakers } of results) {
    if (!speakers) continue;
    if ('fault' in speakers) {
      fault ??= speakers;
      continue;
    }
    first ??= speakers;
    if (speakers.model !== first.model) {
      const detail = `chunks were embedded by ${first.model} and by ${speakers.model}`;
      return { fault: 'mixed-models', detail };
    }
    windows.push(...speakers.windows);
  }
  if (windows.length > 0 && first) return { ...first, windows };
  return (
    fault ?? { fault: 'too-little-speech', detail: 'there is no speech long enough to tell voices apart' }
  );
}
