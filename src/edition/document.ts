import type { Segment } from '../transcript/segment.ts';
import { speakerLabel } from '../transcript/speaker-label.ts';
import { clockTime } from './readable-text.ts';
import { turnsOf } from './turns.ts';

/** What XML cannot hold. */
const unprintable = /[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** A transcript as a Word document: the title, then a paragraph for each turn. */
export async function documentOf(
  title: string,
  segments: readonly Segment[],
  { hasTimes }: { hasTimes: boolean },
): Promise<Buffer> {
  // Loaded with the first export: it is a large library, and few processes ever need it.
  const { Document, HeadingLevel, Packer, Paragraph, TextRun } = await import('docx');
  const run = (text: string, style: { bold?: boolean; color?: string } = {}) =>
    new TextRun({ text: text.replace(unprintable, ' '), ...style });
  const paragraphs = turnsOf(segments).map(({ startSeconds, speaker, text }) => {
    const who = speaker === undefined ? [] : [run(`${speakerLabel(speaker)}  `, { bold: true })];
    const when = hasTimes ? [run(`${clockTime(startSeconds)}  `, { color: '6f695c' })] : [];
    return new Paragraph({ spacing: { after: 160, line: 320 }, children: [...who, ...when, run(text)] });
  });
  const heading = new Paragraph({ heading: HeadingLevel.TITLE, children: [run(title)] });
  const document = new Document({
    title: title.replace(unprintable, ' '),
    creator: 'Longhand',
    styles: { default: { document: { run: { font: 'Georgia', size: 23 } } } },
    sections: [{ children: [heading, ...paragraphs] }],
  });
  return await Packer.toBuffer(document);
}
