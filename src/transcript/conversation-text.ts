import type { Segment } from './segment.ts';
import { speakerLabel } from './speaker-label.ts';

/** A transcript as people write down a conversation: a paragraph for each turn, with its speaker in front. */
export function conversationText(segments: readonly Segment[]): string {
  const paragraphs: { speaker: Segment['speaker']; texts: string[] }[] = [];
  for (const { speaker, text } of segments) {
    const last = paragraphs.at(-1);
    if (last && last.speaker === speaker) last.texts.push(text);
    else paragraphs.push({ speaker, texts: [text] });
  }
  return paragraphs
    .map(
      ({ speaker, texts }) =>
        `${speaker === undefined ? '' : `${speakerLabel(speaker)}: `}${texts.join(' ')}`,
    )
    .join('\n\n');
}
