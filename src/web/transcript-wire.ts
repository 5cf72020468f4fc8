/** What the transcript page sends and gets. */
import { z } from 'zod';
import { languageCodes } from '../contract/language.ts';
import { requestText } from '../contract/request-text.ts';
import type { EditConflict } from '../edition/change-segments.ts';
import type { CurrentSegment, EditionSegment, SegmentChange } from '../edition/edition.ts';
import type { ReadTranscript } from '../edition/read-transcript.ts';
import { rerunLinesMax } from '../edition/rerun/rerun.ts';
import type { Share } from '../edition/share-store.ts';
import type { Written } from '../edition/write-edition.ts';
import { webRequest } from './wire.ts';

const msMax = 360_000_000;
const changesMax = 500;
const ms = z.int().min(0).max(msMax);
/** PostgreSQL's texts hold everything but this one character. */
const storable = (charactersMax: number) => requestText(charactersMax).refine((text) => !text.includes('\0'));
const speaker = storable(100).min(1);
const lineText = storable(10_000);

const lineId = z.string().regex(/^[a-z0-9-]{1,40}$/);

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

export function changesOf({ changes }: z.infer<typeof changesBody>): SegmentChange[] {
  return changes.map((one): SegmentChange => {
    if (one.deleted) return one;
    const { id, base, deleted, start_ms: startMs, end_ms: endMs, text } = one;
    return { id, base, deleted, startMs, endMs, text, speaker: one.speaker };
  });
}

export const replaceBody = webRequest(
  z.object({
    // Each character of it may be compared with each of the text.
    find: storable(200).refine((text) => text.trim() !== ''),
    replacement: storable(1_000),
    match_case: z.boolean(),
    whole_words: z.boolean(),
  }),
);

export const shiftBody = webRequest(
  z.object({ by_ms: z.int().min(-msMax).max(msMax), from_ms: ms, to_ms: ms.nullable() }),
);
export const nameBody = webRequest(z.object({ speaker, name: storable(100) }));
export const mergeBody = webRequest(z.object({ from: speaker, into: speaker }));
export const importBody = webRequest(
  z.object({ format: z.enum(['srt', 'vtt', 'json']), content: z.string().max(20_000_000) }),
);
export const rerunBody = webRequest(
  z.object({
    lines: z
      .array(z.object({ id: lineId, base: z.int().positive() }))
      .min(1)
      .max(rerunLinesMax),
    language: z.enum(languageCodes).nullable(),
    engine: z.string().max(100).nullable(),
  }),
);
export const shareBody = webRequest(z.object({ days: z.int().min(1).max(365) }));

const digits = (least: number, most: number) =>
  z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text),
    z.int().min(least).max(most),
  );
export const sinceQuery = webRequest(z.object({ since: digits(0, 999_999_999) }));
export const wordsQuery = webRequest(
  z.object({
    from_ms: digits(0, msMax),
    to_ms: digits(0, msMax),
    /** Only words of which the machine is less sure. */
    percent_below: digits(1, 100).optional(),
  }),
);
export const exportQuery = webRequest(
  z.object({
    format: z.enum(['txt', 'srt', 'vtt', 'json', 'docx']),
    text: z.enum(['edited', 'machine']).default('edited'),
    times: z.enum(['true', 'false']).default('true'),
    columns: digits(16, 100).default(42),
    lines: digits(1, 2).default(2),
  }),
);

export function segmentOnWire({ id, revision, startMs, endMs, text, speaker }: EditionSegment) {
  return { id, revision, start_ms: startMs, end_ms: endMs, text, speaker };
}

export function currentOnWire({ isDeleted, ...segment }: CurrentSegment) {
  return { ...segmentOnWire(segment), deleted: isDeleted };
}

export function writtenOnWire({ revision, speakers, segments }: Written) {
  return { revision, speakers, segments: segments.map(currentOnWire) };
}

export function conflictOnWire({ current }: EditConflict) {
  return {
    error: { code: 'edit_conflict', message: 'Somebody else changed these lines. Nothing was written.' },
    current: current.map(({ id, segment }) => ({ id, segment: segment && currentOnWire(segment) })),
  };
}

export function transcriptOnWire(read: ReadTranscript) {
  const { edition, playback } = read;
  return {
    id: read.id,
    filename: read.filename,
    status: read.status,
    created_at: read.createdAt.toISOString(),
    duration_seconds: read.durationSeconds,
    language: read.language,
    languages: read.languages.map(({ language, startMs, endMs }) => ({
      language,
      start_ms: startMs,
      end_ms: endMs,
    })),
    unclear: read.unclear.map(({ startMs, endMs }) => ({ start_ms: startMs, end_ms: endMs })),
    error: read.error,
    size_bytes: read.sizeBytes,
    is_truncated: read.isTruncated,
    is_without_speakers: read.isWithoutSpeakers,
    published_at: read.publishedAt?.toISOString() ?? null,
    edited_at: read.editedAt?.toISOString() ?? null,
    has_peaks: playback.peaks !== null,
    media: playback.media && { type: playback.media.contentType, is_video: playback.media.isVideo },
    edition: edition && { ...edition, segments: edition.segments.map(segmentOnWire) },
  };
}

export function shareOnWire({ id, createdAt, expiresAt }: Share) {
  return { id, created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() };
}
