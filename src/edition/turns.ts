import type { Segment } from '../transcript/segment.ts';
import { paragraphText, pauseSecondsParagraph } from './paragraph-text.ts';

export interface Turn {
  startSeconds: number;
  speaker: Segment['speaker'];
  text: string;
}

/** Segments of one speaker that follow each other without a long pause, as paragraphs. */
export function turnsOf(segments: readonly Segment[]): Turn[] {
  const groups: Segment[][] = [];
  let before: Segment | undefined;
  for (const segment of segments) {
    const goesOn =
      before !== undefined &&
      before.speaker === segment.speaker &&
      segment.start - before.end < pauseSecondsParagraph;
    if (goesOn) groups.at(-1)?.push(segment);
    else groups.push([segment]);
    before = segment;
  }
  return groups.map((group) => ({
    startSeconds: group[0]?.start ?? 0,
    speaker: group[0]?.speaker,
    text: paragraphText(group),
  }));
}
