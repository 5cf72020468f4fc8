import { engineUsesLanguage } from '../../speech/engine.ts';
import { languageByVote, votingChunks } from '../../speech/recognizer/language/language-vote.ts';
import type { LanguageGuess } from '../../speech/recognizer/recognizer.ts';
import type { Speech } from '../../speech/speech.ts';
import type { ObjectStores } from '../../storage/object-store.ts';
import type { Chunk } from '../../timeline/chunk-plan.ts';
import { chunkAudio } from '../audio/chunk-audio.ts';
import type { AudioObject } from '../transcription.ts';

/**
 * The language of a job, decided once and stored with it: the caller's, or by vote of several places of the recording.
 * Null when several languages are spoken: then each chunk is asked when it is recognised.
 */
export async function decideLanguage(
  { speech, stores, engine }: { speech: Speech; stores: ObjectStores; engine: string },
  { language, audio, chunks }: { language: string | null; audio: AudioObject; chunks: readonly Chunk[] },
  signal: AbortSignal,
): Promise<string | null> {
  if (!isLanguageOpen(language, engine)) return language;
  const read = (chunk: Chunk) => chunkAudio(stores, audio, chunk);
  return languageByVote(await guessLanguages(speech, chunks, read, signal));
}

/** Whether the recording is to be asked for its language. */
export function isLanguageOpen(language: string | null, engine: string): boolean {
  return language === null && engineUsesLanguage(engine);
}

export async function guessLanguages(
  speech: Speech,
  chunks: readonly Chunk[],
  read: (chunk: Chunk) => Promise<Buffer>,
  signal: AbortSignal,
): Promise<LanguageGuess[]> {
  const excerpts = votingChunks(chunks).map(async (chunk) => ({ audio: await read(chunk), chunk }));
  return await speech.detectLanguages(await Promise.all(excerpts), signal);
}
