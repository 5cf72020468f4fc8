/** The page of one recording: its facts, its text, its words, and the files to take away. */
import { z } from 'zod';
import { editionOnWire } from './edition.ts';
import { msMax, queryInt, webRequest } from './web-request.ts';

export const wordsQuery = webRequest(
  z.object({
    from_ms: queryInt(0, msMax),
    to_ms: queryInt(0, msMax),
    /** Only words of which the machine is less sure. */
    percent_below: queryInt(1, 100).optional(),
  }),
);

export function wordsWanted(query: z.infer<typeof wordsQuery>) {
  const { from_ms: fromMs, to_ms: toMs, percent_below: percent } = query;
  return { fromMs, toMs, confidenceBelow: percent === undefined ? undefined : percent / 100 };
}

export const exportQuery = webRequest(
  z.object({
    format: z.enum(['txt', 'srt', 'vtt', 'json', 'docx']),
    text: z.enum(['edited', 'machine']).default('edited'),
    times: z.enum(['true', 'false']).default('true'),
    columns: queryInt(16, 100).default(42),
    lines: queryInt(1, 2).default(2),
  }),
);

export function exportOptions({ format, text, times, columns, lines }: z.infer<typeof exportQuery>) {
  const limits = { lineColumnsMax: columns, linesMax: lines === 1 ? (1 as const) : (2 as const) };
  return { format, isMachine: text === 'machine', hasTimes: times === 'true', limits };
}

interface StretchFields {
  startMs: number;
  endMs: number;
}

interface TranscriptFields {
  id: string;
  filename: string;
  status: string;
  createdAt: Date;
  durationSeconds: number | null;
  language: string | null;
  languages: readonly (StretchFields & { language: string })[];
  unclear: readonly StretchFields[];
  error: string | null;
  sizeBytes: number | null;
  isTruncated: boolean;
  isWithoutSpeakers: boolean;
  publishedAt: Date | null;
  editedAt: Date | null;
  playback: { peaks: object | null; media: { contentType: string; isVideo: boolean } | null };
  edition: Parameters<typeof editionOnWire>[0] | null;
}

export function transcriptOnWire(read: TranscriptFields) {
  const { edition, playback } = read;
  return {
    id: read.id,
    filename: read.filename,
    status: read.status,
    created_at: read.createdAt.toISOString(),
    duration_seconds: read.durationSeconds,
    language: read.language,
    languages: read.languages.map(({ language, ...run }) => ({ language, ...stretchOnWire(run) })),
    unclear: read.unclear.map(stretchOnWire),
    error: read.error,
    size_bytes: read.sizeBytes,
    is_truncated: read.isTruncated,
    is_without_speakers: read.isWithoutSpeakers,
    published_at: read.publishedAt?.toISOString() ?? null,
    edited_at: read.editedAt?.toISOString() ?? null,
    has_peaks: playback.peaks !== null,
    media: playback.media && { type: playback.media.contentType, is_video: playback.media.isVideo },
    edition: edition && editionOnWire(edition),
  };
}

export function sharedTranscriptOnWire(shared: TranscriptFields & { expiresAt: Date }) {
  return { ...transcriptOnWire(shared), expires_at: shared.expiresAt.toISOString() };
}

function stretchOnWire({ startMs, endMs }: StretchFields) {
  return { start_ms: startMs, end_ms: endMs };
}
