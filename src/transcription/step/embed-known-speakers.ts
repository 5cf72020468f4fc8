import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decode } from '../../media/decode.ts';
import { MediaFailure } from '../../media/media-failure.ts';
import type { MediaPrograms } from '../../media/probe.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { SpeakerEvidence } from '../../speech/chunk-result.ts';
import { joinedEvidence } from '../../speech/speaker/joined-evidence.ts';
import { voiceOf } from '../../speech/speaker/named-turns.ts';
import type { Speech } from '../../speech/speech.ts';
import { chunkPlan } from '../../timeline/chunk-plan.ts';
import { bytesPerSample } from '../../timeline/pcm-samples.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';
import { knownSpeakerStore } from '../known-speaker-store.ts';

export interface EmbedKnownSpeakersDeps {
  db: Queryable;
  speech: Speech;
  programs: MediaPrograms;
}

/** As OpenAI asks for; containers round lengths, so that a little more is let pass. */
const secondsMin = 1.9;
const secondsMax = 10.5;

/** From the recordings of known speakers to their embeddings. The recordings go at once; a repetition does what is left. */
export async function embedKnownSpeakers(
  deps: EmbedKnownSpeakersDeps,
  { id, directory }: { id: string; directory: string },
  signal: AbortSignal,
): Promise<void> {
  for (const { position, recording } of await knownSpeakerStore.recordings(deps.db, id)) {
    const file = join(directory, `voice-${position}`);
    await writeFile(file, recording, { mode: 0o600 });
    const evidence = await evidenceOf(deps, await samplesOf(deps, file, signal), signal);
    if ('fault' in evidence) {
      if (evidence.fault === 'too-little-speech') throw new MediaFailure('reference_unusable');
      continue; // The recording itself gets no speakers either; why, is told when it is finished.
    }
    const { model, windows } = evidence;
    await knownSpeakerStore.markEmbedded(deps.db, id, { position, voice: voiceOf(windows), model });
  }
}

async function samplesOf(
  { programs }: EmbedKnownSpeakersDeps,
  file: string,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    const { audio } = decode(programs, file, { durationSecondsMax: secondsMax, signal });
    const samples = Buffer.concat(await Array.fromAsync(audio));
    if (samples.length >= secondsMin * sampleRate * bytesPerSample) return samples;
  } catch (error) {
    if (error instanceof MediaFailure) throw new MediaFailure('reference_unusable', { cause: error });
    throw error;
  }
  throw new MediaFailure('reference_unusable');
}

async function evidenceOf(
  { speech }: EmbedKnownSpeakersDeps,
  samples: Buffer,
  signal: AbortSignal,
): Promise<SpeakerEvidence> {
  const { spans, totalSamples } = await speech.findSpeech(once(samples), signal);
  const embedded = chunkPlan(spans, totalSamples).map(async (chunk) => {
    const audio = samples.subarray(bytesPerSample * chunk.startSample, bytesPerSample * chunk.endSample);
    return await speech.embedSpeakers(audio, chunk, signal);
  });
  return joinedEvidence((await Promise.all(embedded)).map((speakers) => ({ speakers })));
}

async function* once(samples: Buffer): AsyncGenerator<Buffer> {
  yield samples;
}
