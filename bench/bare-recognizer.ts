/** The recognizer and nothing else, in one process: `plan WAV PLAN` cuts once, `recognise WAV PLAN` is what is timed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { MoonshineRecognizer } from '../src/speech/recognizer/moonshine-recognizer.ts';
import { findSpeech } from '../src/speech/voice/find-speech.ts';
import { VoiceActivity } from '../src/speech/voice/voice-activity.ts';
import { type Chunk, chunkPlan } from '../src/timeline/chunk-plan.ts';

const models = join(import.meta.dirname, '..', 'data', 'models');
const [step = '', wavFile = '', planFile = ''] = process.argv.slice(2);
const bytes = readFileSync(wavFile).subarray(44);
const audio = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));

if (step === 'plan') {
  const voice = await VoiceActivity.load(join(models, 'silero-vad', 'silero_vad.onnx'));
  const { spans, totalSamples } = await findSpeech(Readable.from([bytes]), {
    hear: (block) => voice.hear(block),
    blocksAtOnce: 1,
  });
  writeFileSync(planFile, JSON.stringify(chunkPlan(spans, totalSamples)));
} else {
  const recognizer = await MoonshineRecognizer.load('moonshine-base', join(models, 'moonshine-base'));
  const { signal } = new AbortController();
  for (const chunk of JSON.parse(readFileSync(planFile, 'utf8')) as Chunk[]) {
    const samples = Float32Array.from(
      audio.subarray(chunk.startSample, chunk.endSample),
      (value) => value / 32_768,
    );
    const utterances = await recognizer.recognise({ samples, chunk, language: 'en', signal });
    console.log(utterances.map((utterance) => utterance.text).join(' '));
  }
}
