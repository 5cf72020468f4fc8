/** Editing a transcript. */
import { z } from 'zod';
import { lineId, msMax, queryInt, storableText, webRequest } from './web-request.ts';

const changesMax = 500;
const ms = z.int().min(0).max(msMax);
const speaker = storableText(100).min(1);
const lineText = storableText(10_000);

const change = z.discriminatedUnion('deleted', [
  z.object({
    id: lineId,
    base: z.int().nonnegative().nullable(),
    deleted: z.literal(true),
  }),
  z
    .object({
      id: lineId,
      base: z.int().nonnegative().nullable(),
      deleted: z.literal(false),
      start_ms: ms,
      end_ms: ms,
      text: lineText,
      speaker: speaker.nullable(),
    })
    .refine(({ start_ms, end_ms }) => start_ms <= end_ms),
]);

export const changesBody = webRequest(
  z
    .object({ changes: z.array(change).min(1).max(changesMax) })
    .refine(({ changes }) => new Set(changes.map(({ id }) => id)).size === changes.length),
);

export function segmentChanges({ changes }: z.infer<typeof changesBody>) {
  return changes.map((one) => {
    if (one.deleted) return one;
    const { id, base, deleted, start_ms: startMs, end_ms: endMs, text } = one;
    return { id, base, deleted, startMs, endMs, text, speaker: one.speaker };
  });
}

export const replaceBody = webRequest(
  z.object({
    // Each character of it may be compared with each of the text.
    find: storableText(200).refine((text) => text.trim() !== ''),
    replacement: storableText(1_000),
    match_case: z.boolean(),
    whole_words: z.boolean(),
  }),
);

export function replaceTextCommand(body: z.infer<typeof replaceBody>) {
  const { find, replacement, match_case: matchCase, whole_words: wholeWords } = body;
  return { pattern: { find, matchCase, wholeWords }, replacement };
}

export const shiftBody = webRequest(
  z.object({ by_ms: z.int().min(-msMax).max(msMax), from_ms: ms, to_ms: ms.nullable() }),
);

export function shiftTimesCommand({ by_ms: byMs, from_ms: fromMs, to_ms: toMs }: z.infer<typeof shiftBody>) {
  return { byMs, fromMs, toMs };
}

export const nameBody = webRequest(z.object({ speaker, name: storableText(100) }));

export function nameSpeakerCommand({ speaker, name }: z.infer<typeof nameBody>) {
  return { speaker, name: name.trim() };
}

export const mergeBody = webRequest(z.object({ from: speaker, into: speaker }));

export const importBody = webRequest(
  z.object({ format: z.enum(['srt', 'vtt', 'json']), content: z.string().max(20_000_000) }),
);

export const sinceQuery = webRequest(z.object({ since: queryInt(0, 999_999_999) }));

interface EditionSegmentFields {
  id: string;
  revision: number;
  startMs: number;
  endMs: number;
  text: string;
  speaker: string | null;
}

type CurrentSegmentFields = EditionSegmentFields & { isDeleted: boolean };

interface EditionFields {
  revision: number;
  speakers: Readonly<Record<string, string>>;
  segments: readonly EditionSegmentFields[];
}

export function editionOnWire({ revision, speakers, segments }: EditionFields) {
  return { revision, speakers, segments: segments.map(segmentOnWire) };
}

/** What a write changed, or what others changed meanwhile. */
export function changedOnWire({
  revision,
  speakers,
  segments,
}: Omit<EditionFields, 'segments'> & { segments: readonly CurrentSegmentFields[] }) {
  return { revision, speakers, segments: segments.map(currentOnWire) };
}

/** A whole answer: its error has the lines as they stand beside it. */
export function conflictOnWire({
  current,
}: {
  current: readonly { id: string; segment: CurrentSegmentFields | null }[];
}) {
  return {
    error: { code: 'edit_conflict', message: 'Somebody else changed these lines. Nothing was written.' },
    current: current.map(({ id, segment }) => ({ id, segment: segment && currentOnWire(segment) })),
  };
}

function currentOnWire({ isDeleted, ...segment }: CurrentSegmentFields) {
  return { ...segmentOnWire(segment), deleted: isDeleted };
}

function segmentOnWire({ id, revision, startMs, endMs, text, speaker }: EditionSegmentFields) {
  return { id, revision, start_ms: startMs, end_ms: endMs, text, speaker };
}
