import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { Database } from '../platform/database/database.ts';
import type { Segment } from '../transcript/segment.ts';
import type { UnclearSpeech } from '../transcript/transcript.ts';
import type { Playback } from '../transcription/audio/playback.ts';
import { playbackStore } from '../transcription/audio/playback-store.ts';
import type { Edition } from './edition.ts';
import { editionStore, type TranscriptFacts } from './edition-store.ts';
import { editionOf } from './read-edition.ts';

export interface ReadTranscript extends TranscriptFacts {
  playback: Playback;
  /** Null until the job is completed. */
  edition: Edition | null;
  /** Of the machine's text, in order; none for jobs from before the languages were kept. */
  languages: LanguageRun[];
  unclear: UnclearSpeech[];
}

/** Segments after each other in one language. */
export interface LanguageRun {
  language: string;
  startMs: number;
  endMs: number;
}

/** Everything that a page about one recording shows first. */
export async function readTranscript(
  { db }: { db: Database },
  { account }: Principal,
  id: string,
): Promise<ReadTranscript> {
  return await transcriptOf(db, { accountId: account.id, id });
}

export async function transcriptOf(
  db: Database,
  { accountId, id }: { accountId: string; id: string },
): Promise<ReadTranscript> {
  const facts = await editionStore.facts(db, accountId, id);
  if (!facts) throw new ApiError('not_found');
  const playback = await playbackStore.find(db, id);
  const machine = await editionStore.machineText(db, accountId, id);
  const edition = machine ? await editionOf(db, { accountId, id }, machine.segments) : null;
  const { segments = [], unclear = [] } = machine ?? {};
  return { ...facts, playback, edition, languages: languageRuns(segments), unclear };
}

function languageRuns(segments: readonly Segment[]): LanguageRun[] {
  const runs: LanguageRun[] = [];
  for (const { language, start, end } of segments) {
    if (language === undefined) continue;
    const last = runs.at(-1);
    const [startMs, endMs] = [Math.round(start * 1000), Math.round(end * 1000)];
    if (last?.language === language) last.endMs = endMs;
    else runs.push({ language, startMs, endMs });
  }
  return runs;
}
