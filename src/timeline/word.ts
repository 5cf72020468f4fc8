import type { SpeechSpan } from './span.ts';

/** `text` keeps the space before it, so that words of scripts without spaces join without seams. */
export interface TimedWord extends SpeechSpan {
  text: string;
}
