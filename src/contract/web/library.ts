/** The list of an account's recordings. */
import { z } from 'zod';
import { webRequest } from './web-request.ts';

const number = z.string().regex(/^[0-9]{1,18}$/);
const pageEntriesMax = 200;
const idsMax = 100;

export const libraryQuery = webRequest(
  z.object({
    state: z.enum(['processing', 'completed', 'failed']).optional(),
    before: number.optional(),
    limit: z.coerce.number().int().min(1).max(pageEntriesMax).default(100),
  }),
);

export function libraryFilter({ state: status, before, limit }: z.infer<typeof libraryQuery>) {
  return { status, before, limit };
}

export const changesQuery = webRequest(
  z.object({
    after: number,
    ids: z
      .string()
      .transform((text) => (text === '' ? [] : text.split(',')))
      .pipe(z.array(z.guid()).max(idsMax))
      .default([]),
  }),
);

const nameCharactersMax = 240;

export const renameBody = webRequest(z.object({ name: z.string().max(nameCharactersMax) }));

interface LibraryEntryFields {
  id: string;
  number: string;
  name: string;
  filename: string;
  createdAt: Date;
  progress: { status: string; stage: string; percent: number; secondsLeft: number | null };
  durationSeconds: number | null;
  isWaiting: boolean;
  language: string | null;
  speakerDiarization: boolean;
  sourceUrl: string | null;
  notes: readonly string[];
  lastWords: string | null;
  error: string | null;
  errorCode: string | null;
}

export function libraryEntryOnWire(entry: LibraryEntryFields) {
  const { status, stage, percent, secondsLeft } = entry.progress;
  return {
    id: entry.id,
    number: entry.number,
    name: entry.name,
    filename: entry.filename,
    created_at: entry.createdAt.toISOString(),
    duration_seconds: entry.durationSeconds,
    status,
    stage: entry.isWaiting ? 'waiting' : stage,
    percent,
    seconds_left: secondsLeft,
    language: entry.language,
    speaker_diarization: entry.speakerDiarization,
    source_url: entry.sourceUrl,
    notes: entry.notes,
    last_words: entry.lastWords,
    error: entry.error,
    error_code: entry.errorCode,
  };
}
