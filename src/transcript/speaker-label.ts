import type { Speaker } from '../timeline/turn.ts';

/** A speaker as people are shown one, counted from 1; the API gives the raw number, which begins at 0. */
export function speakerLabel(speaker: Speaker): string {
  return typeof speaker === 'number' ? `Speaker ${speaker + 1}` : speaker;
}
