import type { Speaker } from '../timeline/turn.ts';

/**
 * A word of a finished transcript, as it is stored: with the space before it where there is one, in milliseconds of the
 * recording, and with its speaker where that is known. A tuple, because ten hours have ninety thousand of them.
 */
export type TranscriptWord = readonly [text: string, startMs: number, endMs: number, speaker?: Speaker];
