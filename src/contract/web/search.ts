/** Searching an account's transcripts. */
import { z } from 'zod';
import { webRequest } from './web-request.ts';

export const searchPageQuery = webRequest(
  z.object({ query: z.string().max(400), cursor: z.string().max(40).optional() }),
);

interface SearchPageFields {
  hits: readonly {
    transcriptionId: string;
    filename: string;
    createdAt: Date;
    said: { start: number; snippet: string } | null;
  }[];
  nextCursor: string | null;
}

/** `names`: of the recordings that their owner renamed, by id. */
export function searchPageOnWire({ hits, nextCursor }: SearchPageFields, names: ReadonlyMap<string, string>) {
  return {
    hits: hits.map(({ transcriptionId, filename, createdAt, said }) => ({
      transcription_id: transcriptionId,
      name: names.get(transcriptionId) ?? filename,
      created_at: createdAt.toISOString(),
      said: said && { start: said.start, snippet: said.snippet },
    })),
    next: nextCursor,
  };
}
