import type { Speaker } from '../timeline/turn.ts';

/**
 * A word of a finished transcript, as it is stored: with the space before it where there is one, in milliseconds of the
 * recording, with its speaker where that is known and the engine's confidence (0 to 1) where it tells. Words from before
 * that was kept end earlier. A tuple, because ten hours have ninety thousand of them.
 */
export type TranscriptWord = readonly [
  text: string,
  startMs: number,
  endMs: number,
  speaker?: Speaker | null,
  confidence?: number,
];
