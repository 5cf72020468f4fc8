/**
 * The speech process: holds the models and does the heavy work, so that a crash of native code or a lack of memory
 * ends one request and not the service. Started by `SpeechProcess`.
 */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../platform/clock.ts';
import { writeCompiledCode } from '../../platform/compile-cache.ts';
import { floatSamples } from '../../timeline/pcm-samples.ts';
import type { ChunkResult } from '../chunk-result.ts';
import type { HeardChunk, LanguageGuess } from '../recognizer/recognizer.ts';
import { installedDirectory, RecognizerCache } from '../recognizer/recognizer-cache.ts';
import { cutAtVoices, joinedSpeakers } from '../speaker/joined-speakers.ts';
import { InstalledSpeakerListener } from '../speaker/speaker-evidence.ts';
import { type ChunkAudio, SpeechError } from '../speech.ts';
import { withExactEdges } from '../voice/span-edges.ts';
import { VoiceActivity } from '../voice/voice-activity.ts';
import {
  exitCodeMemory,
  type SpeechAnswer,
  type SpeechProcessSettings,
  type SpeechRequest,
  type SpeechWarmUp,
} from './speech-message.ts';

const settings = JSON.parse(process.argv[2] ?? '{}') as SpeechProcessSettings;
const recognizers = new RecognizerCache(settings.modelsDirectory);
const speakerListener = new InstalledSpeakerListener(settings.modelsDirectory, systemClock);
let voiceActivityModel: Promise<VoiceActivity> | null = null;
let underWay = new AbortController();
/** Messages are handled one after the other, in the order in which they came. */
let turn: Promise<void> = Promise.resolve();

function answer(message: SpeechAnswer): void {
  process.send?.(message);
}

process.on('message', (request: SpeechRequest | SpeechWarmUp) => {
  if (request.type === 'warm-up') {
    warmUp(request);
    return;
  }
  if (request.type === 'cancel') underWay.abort();
  turn = turn.then(() => handle(request));
});
// The parent is gone or has let go of us: nobody will read an answer.
process.on('disconnect', () => process.exit(0));

async function handle(request: SpeechRequest): Promise<void> {
  try {
    await perform(request);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    answer({
      type: 'failed',
      id: request.id,
      message,
      transient: error instanceof SpeechError && error.transient,
    });
  }
}

async function perform(request: SpeechRequest): Promise<void> {
  const { id } = request;
  switch (request.type) {
    case 'recognise':
      underWay = new AbortController();
      answer({ type: 'recognised', id, result: await recognise(request) });
      break;
    case 'detect-languages':
      underWay = new AbortController();
      answer({ type: 'languages-detected', id, guesses: await detectLanguages(request.chunks) });
      break;
    case 'join-speakers':
      answer({ type: 'speakers-joined', id, turns: joinedSpeakers(request.evidence, request.count) });
      break;
    case 'hear-voice':
      answer({ type: 'voice-heard', id, heard: await (await voiceActivity()).hear(request.block) });
      break;
    case 'cancel':
      answer({ type: 'cancelled', id });
      break;
  }
}

async function recognise(request: SpeechRequest & { type: 'recognise' }): Promise<ChunkResult> {
  const heard = heardOf(request, request.options.language);
  if (request.options.engine === 'remote') {
    // The words come from elsewhere; only the voices are listened to here.
    const evidence = request.options.speakers
      ? await speakerListener.evidence(heard.samples, request.chunk)
      : undefined;
    return { engine: 'remote', utterances: [], ...(evidence && { speakers: evidence }) };
  }
  const { recognizer, language } = await recognizers.choose(request.options.engine, heard);
  const speakers = request.options.speakers
    ? await speakerListener.evidence(heard.samples, request.chunk)
    : undefined;
  const chunk = cutAtVoices(request.chunk, speakers);
  const recognised = await recognizer.recognise({ ...heard, chunk, language });
  const utterances = withExactEdges(recognised, chunk, heard.samples);
  return { engine: recognizer.id, utterances, ...(speakers && { speakers }) };
}

async function detectLanguages(chunks: readonly ChunkAudio[]): Promise<LanguageGuess[]> {
  const guesses: LanguageGuess[] = [];
  for (const chunk of chunks) {
    underWay.signal.throwIfAborted();
    guesses.push(await recognizers.detectLanguage(heardOf(chunk, null)));
  }
  return guesses;
}

/** What cannot be loaded is told to the request that needs it. */
function warmUp({ engine, language, detector }: SpeechWarmUp): void {
  voiceActivity().catch(() => {});
  if (engine !== 'remote') recognizers.warmUp(engine, language, detector).catch(() => {});
}

function heardOf({ audio, chunk }: ChunkAudio, language: string | null): HeardChunk {
  return { samples: floatSamples(audio), chunk, language, signal: underWay.signal };
}

function voiceActivity(): Promise<VoiceActivity> {
  voiceActivityModel ??= installedDirectory(settings.modelsDirectory, 'silero-vad').then((directory) =>
    VoiceActivity.load(join(directory, 'silero_vad.onnx')),
  );
  voiceActivityModel.catch(() => {
    voiceActivityModel = null;
  });
  return voiceActivityModel;
}

setPriority(settings.niceness);
try {
  writeFileSync('/proc/self/oom_score_adj', '900'); // When the machine runs out of memory, this goes before the service.
} catch {
  // Not Linux, or not allowed: the ceiling below still holds.
}
writeCompiledCode();
systemClock.every(250, () => {
  if (process.memoryUsage.rss() > settings.memoryBytesMax) process.exit(exitCodeMemory);
});
