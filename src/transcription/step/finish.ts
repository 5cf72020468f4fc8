import { transcript } from '../../transcript/transcript.ts';
import { type EndJobDeps, endJob, lineOf } from '../end-job.ts';
import { knownSpeakerStore } from '../known-speaker-store.ts';
import { speakerOutcomeStore } from '../speaker-outcome-store.ts';
import { transcriptionStore } from '../transcription-store.ts';
import { chunkStore } from './chunk-store.ts';
import { type SpeakersDeps, speakersOfJob } from './speakers.ts';
import type { JobTask } from './steps.ts';

export type FinishDeps = SpeakersDeps & EndJobDeps;

/** From the results of all chunks to a completed job. A second finisher changes nothing. */
export async function finish(
  deps: FinishDeps,
  { transcriptionId }: JobTask,
  signal: AbortSignal,
): Promise<void> {
  const job = await transcriptionStore.findProcessing(deps.db, transcriptionId);
  if (!job) return;
  const results = await chunkStore.results(deps.db, transcriptionId);
  const { speakerDiarization, speakerCount } = job.options;
  const known = await knownSpeakerStore.voices(deps.db, transcriptionId);
  const speakers = speakerDiarization
    ? await speakersOfJob(deps, transcriptionId, results, speakerCount ?? null, signal, known)
    : undefined;
  const whole = transcript(
    results.flatMap((result) => result.utterances),
    speakers?.turns,
  );
  const ended = await endJob(deps, async (tx) => {
    const just = await transcriptionStore.markCompleted(tx, transcriptionId, whole);
    // What the owner may want later stands in the job's own row now.
    if (just) await chunkStore.deleteAll(tx, transcriptionId);
    if (just && speakers) await speakerOutcomeStore.count(tx, speakers.outcome);
    return just;
  });
  if (ended) deps.logger.info(lineOf(ended), 'a job completed');
}
