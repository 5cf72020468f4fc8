import type { Segment } from '../transcript/segment.ts';

/** From this pause on the talk has moved on, as in the machine's text. */
export const pauseSecondsParagraph = 2;
/** Scripts that are written without spaces between sentences. */
const unspacedEnd = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}。！？、」』]$/u;

/** Segments as one text: a new paragraph after a pause. */
export function paragraphText(segments: readonly Segment[]): string {
  let text = '';
  let before: Segment | undefined;
  for (const segment of segments) {
    if (before) {
      const isPause = segment.start - before.end >= pauseSecondsParagraph;
      text += isPause ? '\n\n' : unspacedEnd.test(before.text) ? '' : ' ';
    }
    text += segment.text;
    before = segment;
  }
  return text;
}
