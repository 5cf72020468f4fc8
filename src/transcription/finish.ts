import { transcript } from '../transcript/transcript.ts';
import { chunkStore } from './chunk-store.ts';
import { type EndJobDeps, endJob } from './end-job.ts';
import type { JobTask } from './queues.ts';
import { speakerOutcomeStore } from './speaker-outcome-store.ts';
import { type SpeakersDeps, speakersOfJob } from './speakers.ts';
import { transcriptionStore } from './transcription-store.ts';

export interface FinishDeps extends SpeakersDeps, EndJobDeps {}

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
  const speakers = speakerDiarization
    ? await speakersOfJob(deps, transcriptionId, results, speakerCount ?? null, signal)
    : undefined;
  const whole = transcript(
    results.flatMap((result) => result.utterances),
    speakers?.turns,
  );
  await endJob(deps, async (tx) => {
    const ended = await transcriptionStore.markCompleted(tx, transcriptionId, whole);
    // What the owner may want later stands in the job's own row now.
    if (ended) await chunkStore.deleteAll(tx, transcriptionId);
    if (ended && speakers) await speakerOutcomeStore.count(tx, speakers.outcome);
    return ended;
  });
}
