/** A transcript as its owner edited it. The machine's own text stays beside it, untouched. */
import type { Segment } from '../transcript/segment.ts';

export interface EditionSegment {
  id: string;
  /** The write that changed it last: whoever changes it names the one they saw. */
  revision: number;
  startMs: number;
  endMs: number;
  text: string;
  speaker: string | null;
}

export interface Edition {
  /** Of its last write; 1 is the machine's text. */
  revision: number;
  /** Names that people gave, by the id of the speaker. */
  speakers: Readonly<Record<string, string>>;
  segments: EditionSegment[];
}

/** What the segment is to be; `deleted` takes it out of the text. `base`: the revision it was made from. */
export type SegmentChange = { id: string; base: number | null } & (
  | { deleted: true }
  | { deleted: false; startMs: number; endMs: number; text: string; speaker: string | null }
);

/** A segment as it stands, also one that was deleted. */
export type CurrentSegment = EditionSegment & { isDeleted: boolean };

/** Of a text that nobody has changed. */
export const machineRevision = 1;

/** The `base` of a change to a line that was read while the transcript was being made. */
export const seenLive = 0;

/** The id that a segment of the machine has in every edition of it. */
export function machineSegmentId(index: number): string {
  return `m${String(index).padStart(6, '0')}`;
}

export function speakerId(speaker: Segment['speaker']): string | null {
  return speaker === undefined ? null : String(speaker);
}

/** The edition of a transcript that nobody has edited. */
export function machineEdition(segments: readonly Segment[]): Edition {
  return {
    revision: machineRevision,
    speakers: {},
    segments: segments.map(({ start, end, text, speaker }, index) => ({
      id: machineSegmentId(index),
      revision: machineRevision,
      startMs: Math.round(start * 1000),
      endMs: Math.max(Math.round(start * 1000), Math.round(end * 1000)),
      text,
      speaker: speakerId(speaker),
    })),
  };
}

/** As the API gives it: a named speaker by name, others as the machine counted them. */
export function editedSegments({ segments, speakers }: Edition): Segment[] {
  return segments
    .filter(({ text }) => text.trim() !== '')
    .map(({ startMs, endMs, text, speaker }) => ({
      start: startMs / 1000,
      end: endMs / 1000,
      text: text.trim(),
      ...(speaker === null ? {} : { speaker: namedSpeaker(speakers, speaker) }),
    }));
}

function namedSpeaker(speakers: Edition['speakers'], id: string): string | number {
  const name = Object.hasOwn(speakers, id) ? speakers[id] : undefined;
  return name ?? (/^\d{1,6}$/.test(id) ? Number(id) : id);
}
