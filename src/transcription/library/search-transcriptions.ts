import type { Principal } from '../../account/principal.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Segment } from '../../transcript/segment.ts';
import { type FoundPassage, type PassagePosition, passageStore } from './passage-store.ts';
import { searchQuery, searchWords } from './search-query.ts';

export interface SearchCommand {
  query: string;
  /** Hits on one page, from 1 to 50. */
  limit?: number | undefined;
  /** As the page before gave it. */
  cursor?: string | undefined;
}

export interface SearchHit {
  transcriptionId: string;
  filename: string;
  createdAt: Date;
  durationSeconds: number | null;
  /** What was said; null where the words stand in the name of the recording. */
  said: { start: number; end: number; speaker?: Segment['speaker']; snippet: string } | null;
}

export interface SearchPage {
  hits: SearchHit[];
  /** Null at the end. */
  nextCursor: string | null;
}

export const searchQueryCharactersMax = 400;
export const searchLimitMax = 50;
const searchLimitDefault = 20;
export const snippetCharactersMax = 300;

/**
 * Finds words in the account's own transcripts and in the names of their recordings, newest transcript first; in each
 * its name, then what was said in the order of time. Words of a query are found within about a minute of speech.
 */
export async function searchTranscriptions(
  { db }: { db: Queryable },
  { account }: Principal,
  { query, limit = searchLimitDefault, cursor }: SearchCommand,
): Promise<SearchPage> {
  if (query.length > searchQueryCharactersMax)
    throw invalid(`query must have at most ${searchQueryCharactersMax} characters.`);
  if (!Number.isInteger(limit) || limit < 1 || limit > searchLimitMax)
    throw invalid(`limit must be an integer from 1 to ${searchLimitMax}.`);
  const wanted = searchQuery(query);
  if (!wanted) throw invalid('query must contain at least one letter or digit.');
  const found = await passageStore.search(db, {
    accountId: account.id,
    tsquery: wanted.tsquery,
    after: cursor === undefined ? undefined : positionOf(cursor),
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    hits: page.map((passage) => hitOf(passage, wanted.words)),
    nextCursor: last ? `${last.position.number}.${last.position.index}` : null,
  };
}

function positionOf(cursor: string): PassagePosition {
  const match = /^([0-9]{1,18})\.(-1|[0-9]{1,9})$/.exec(cursor);
  if (!match?.[1] || !match[2]) throw invalid('cursor must be the next_cursor of the page before.');
  return { number: match[1], index: Number(match[2]) };
}

function hitOf(
  { transcriptionId, filename, createdAt, durationSeconds, segments }: FoundPassage,
  words: readonly string[],
): SearchHit {
  const at = bestSegment(segments, words);
  const segment = segments[at];
  const recording = { transcriptionId, filename, createdAt, durationSeconds };
  if (!segment) return { ...recording, said: null };
  const { start, end, speaker } = segment;
  const snippet = snippetOf(segments, at);
  return {
    ...recording,
    said: { start, end, snippet, ...(speaker === undefined ? {} : { speaker }) },
  };
}

/** The one with most of the words; of several, the first. */
function bestSegment(segments: readonly Segment[], words: readonly string[]): number {
  const wanted = [...new Set(words)];
  const counts = segments.map(({ text }) => {
    const said = searchWords(text);
    return wanted.filter((word) => said.some((one) => one.startsWith(word))).length;
  });
  return counts.indexOf(Math.max(...counts));
}

/** The segment and, as far as there is room, what was said after it and before it. */
function snippetOf(segments: readonly Segment[], at: number): string {
  const textOf = (index: number) => segments[index]?.text ?? '';
  let snippet = textOf(at);
  for (const wider of [`${snippet} ${textOf(at + 1)}`, `${textOf(at - 1)} ${snippet} ${textOf(at + 1)}`])
    if (wider.length <= snippetCharactersMax) snippet = wider;
  return snippet.trim().slice(0, snippetCharactersMax);
}

function invalid(message: string): ApiError {
  return new ApiError('invalid_request', { message });
}
