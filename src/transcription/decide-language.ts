import { engineUsesLanguage } from '../speech/engine.ts';
import { languageByVote, votingChunks } from '../speech/recognizer/language-vote.ts';
import type { Speech } from '../speech/speech.ts';
import type { ObjectStores } from '../storage/object-store.ts';
import type { Chunk } from '../timeline/chunk-plan.ts';
import { chunkAudio } from './chunk-audio.ts';
import type { AudioObject } from './transcription.ts';

/**
 * The language of a job, decided once and stored with it: the caller's, or by vote of several places of the recording.
 * Null when several languages are spoken: then each chunk is asked when it is recognised.
 */
export async function decideLanguage(
  { speech, stores, engine }: { speech: Speech; stores: ObjectStores; engine: string },
  { language, audio, chunks }: { language: string | null; audio: AudioObject; chunks: readonly Chunk[] },
  signal: AbortSignal,
): Promise<string | null> {
  if (language !== null || !engineUsesLanguage(engine)) return language;
  const places = await Promise.all(
    votingChunks(chunks).map(async (chunk) => ({ audio: await chunkAudio(stores, audio, chunk), chunk })),
  );
  return languageByVote(await speech.detectLanguages(places, signal));
}
