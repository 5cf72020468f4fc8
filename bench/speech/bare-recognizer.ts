/** The recognizer and nothing else, in one process: `plan WAV PLAN` cuts once, `recognise WAV PLAN` is what is timed. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { MoonshineRecognizer } from '../../src/speech/recognizer/moonshine/moonshine-recognizer.ts';
import { findSpeech } from '../../src/speech/voice/find-speech.ts';
import { VoiceActivity } from '../../src/speech/voice/voice-activity.ts';
import { type Chunk, chunkPlan } from '../../src/timeline/chunk-plan.ts';
import { bytesPerSample, floatSamples } from '../../src/timeline/pcm-samples.ts';
import { wavHeaderBytes } from '../../src/timeline/wav-header.ts';

const models = join(import.meta.dirname, '..', '..', 'data', 'models');
const [step = '', wavFile = '', planFile = ''] = process.argv.slice(2);
const bytes = readFileSync(wavFile).subarray(wavHeaderBytes);

if (step === 'plan') {
  const voice = await VoiceActivity.load(join(models, 'silero-vad', 'silero_vad.onnx'));
  const { spans, totalSamples } = await findSpeech(Readable.from([bytes]), {
    detect: (block) => voice.detect(block),
    blocksAtOnce: 1,
  });
  writeFileSync(planFile, JSON.stringify(chunkPlan(spans, totalSamples)));
} else {
  const recognizer = await MoonshineRecognizer.load('moonshine-base', join(models, 'moonshine-base'));
  const { signal } = new AbortController();
  for (const chunk of JSON.parse(readFileSync(planFile, 'utf8')) as Chunk[]) {
    const samples = floatSamples(
      bytes.subarray(chunk.startSample * bytesPerSample, chunk.endSample * bytesPerSample),
    );
    const utterances = await recognizer.recognise({ samples, chunk, language: 'en', signal });
    console.log(utterances.map((utterance) => utterance.text).join(' '));
  }
}
