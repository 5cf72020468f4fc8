/** Recordings through the parts that a job uses: voice activity, chunks, evidence, joining. */

import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { SpeakerEmbeddings } from '../../src/speech/chunk-result.ts';
import { unknownCount } from '../../src/speech/speaker/cluster/speaker-clusters.ts';
import { joinedSpeakers } from '../../src/speech/speaker/joined-speakers.ts';
import type { SpeakerListener } from '../../src/speech/speaker/speaker-listener.ts';
import { openXVectorListener } from '../../src/speech/speaker/x-vector-listener.ts';
import type { FoundSpeech } from '../../src/speech/speech.ts';
import { findSpeech } from '../../src/speech/voice/find-speech.ts';
import { VoiceActivity } from '../../src/speech/voice/voice-activity.ts';
import { type Chunk, chunkPlan } from '../../src/timeline/chunk-plan.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import type { SpeakerTurn } from '../../src/timeline/turn.ts';
import type { LabelledTurn } from './diarization-error.ts';

export interface SpeakerPipeline {
  chunks(samples: Float32Array): Promise<Chunk[]>;
  evidence(samples: Float32Array, chunks: readonly Chunk[]): Promise<SpeakerEmbeddings>;
  turns(samples: Float32Array): Promise<SpeakerTurn[]>;
}

export function pcm(samples: Float32Array): Uint8Array {
  const whole = Int16Array.from(samples, (value) =>
    Math.max(-32_768, Math.min(32_767, Math.round(value * 32_768))),
  );
  return new Uint8Array(whole.buffer);
}

export function spokenIn(activity: VoiceActivity, samples: Float32Array): Promise<FoundSpeech> {
  return findSpeech(Readable.from([pcm(samples)]), {
    detect: (block) => activity.detect(block),
    blocksAtOnce: 1,
  });
}

export async function openSpeakerPipeline(modelsDirectory: string): Promise<SpeakerPipeline> {
  const activity = await VoiceActivity.load(join(modelsDirectory, 'silero-vad', 'silero_vad.onnx'));
  const listener: SpeakerListener = await openXVectorListener(join(modelsDirectory, 'vosk-spk'));
  const pipeline: SpeakerPipeline = {
    async chunks(samples) {
      const { spans, totalSamples } = await spokenIn(activity, samples);
      return chunkPlan(spans, totalSamples);
    },
    async evidence(samples, chunks) {
      const windows: SpeakerEmbeddings['windows'] = [];
      for (const chunk of chunks) {
        windows.push(...(await listener.windows(samples.slice(chunk.startSample, chunk.endSample), chunk)));
      }
      return { model: 'vosk-spk', overlapping: false, windows };
    },
    async turns(samples) {
      return joinedSpeakers(await pipeline.evidence(samples, await pipeline.chunks(samples)), unknownCount);
    },
  };
  return pipeline;
}

export function labelled(turns: readonly SpeakerTurn[]): LabelledTurn[] {
  return turns.map(({ speaker, startSample, endSample }) => ({
    speaker: String(speaker),
    startSeconds: startSample / sampleRate,
    endSeconds: endSample / sampleRate,
  }));
}
