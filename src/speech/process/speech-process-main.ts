/**
 * The speech process: holds the models and does the heavy work, so that a crash of native code or a lack of memory
 * ends one request and not the service. Started by `SpeechProcess`.
 */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../platform/clock.ts';
import { writeCompiledCode } from '../../platform/process/compile-cache.ts';
import { floatSamples } from '../../timeline/pcm-samples.ts';
import { inChineseScript } from '../../transcript/chinese-script.ts';
import { withWrittenNumbers } from '../../transcript/number/written-numbers.ts';
import type { ChunkResult, RecogniseOptions } from '../chunk-result.ts';
import type { LanguageGuess, RecognizerInput } from '../recognizer/recognizer.ts';
import { installedDirectory, RecognizerCache } from '../recognizer/recognizer-cache.ts';
import { InstalledSpeakerListener } from '../speaker/installed-speaker-listener.ts';
import { joinedSpeakers } from '../speaker/joined-speakers.ts';
import { type ChunkAudio, ModelMissing, SpeechError } from '../speech.ts';
import { withExactEdges } from '../voice/span-edges.ts';
import { VoiceActivity } from '../voice/voice-activity.ts';
import {
  exitCodeMemory,
  type SpeechAnswer,
  type SpeechCancel,
  type SpeechProcessSettings,
  type SpeechRequest,
  type SpeechWarmUp,
} from './speech-message.ts';

const settings = JSON.parse(process.argv[2] ?? '{}') as SpeechProcessSettings;
const recognizers = new RecognizerCache(settings.modelsDirectory, settings.otherLanguages);
const speakerListener = new InstalledSpeakerListener(settings.modelsDirectory, systemClock);
let voiceActivityModel: Promise<VoiceActivity> | null = null;
/** One for each request that is not answered yet: a cancellation reaches its own request only. */
const cancellations = new Map<number, AbortController>();
/** Requests are handled one after the other, in the order in which they came. */
let previous: Promise<void> = Promise.resolve();

function answer(message: SpeechAnswer): void {
  process.send?.(message);
}

process.on('message', (message: SpeechRequest | SpeechCancel | SpeechWarmUp) => {
  if (message.type === 'warm-up') warmUp(message);
  else if (message.type === 'cancel') cancellations.get(message.id)?.abort();
  else {
    const cancellation = new AbortController();
    cancellations.set(message.id, cancellation);
    previous = previous.then(() => handle(message, cancellation.signal));
  }
});
// The parent is gone or has let go of us: nobody will read an answer.
process.on('disconnect', () => process.exit(0));

async function handle(request: SpeechRequest, signal: AbortSignal): Promise<void> {
  try {
    signal.throwIfAborted();
    answer(await perform(request, signal));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const transient = error instanceof SpeechError && error.transient;
    const missing = error instanceof ModelMissing ? { missingModel: error.model } : {};
    answer({ type: 'failed', id: request.id, message, transient, ...missing });
  } finally {
    cancellations.delete(request.id);
  }
}

async function perform(request: SpeechRequest, signal: AbortSignal): Promise<SpeechAnswer> {
  const { id } = request;
  switch (request.type) {
    case 'recognise':
      return { type: 'recognised', id, result: await recognise(request, signal) };
    case 'detect-languages':
      return { type: 'languages-detected', id, guesses: await detectLanguages(request.chunks, signal) };
    case 'join-speakers':
      return { type: 'speakers-joined', id, turns: joinedSpeakers(request.evidence, request.count) };
    case 'detect-voice':
      return { type: 'voice-detected', id, activity: await (await voiceActivity()).detect(request.block) };
  }
}

async function recognise(
  request: SpeechRequest & { type: 'recognise' },
  signal: AbortSignal,
): Promise<ChunkResult> {
  const input = recognizerInput(request, request.options, signal);
  if (request.options.engine === 'remote') {
    // The text comes from the endpoint; only the speakers are embedded here.
    const evidence = request.options.speakers
      ? await speakerListener.evidence(input.samples, request.chunk)
      : undefined;
    return { engine: 'remote', utterances: [], ...(evidence && { speakers: evidence }) };
  }
  const speakers = request.options.speakers
    ? await speakerListener.evidence(input.samples, request.chunk)
    : undefined;
  // The same input with and without speakers: asking who speaks changes no word.
  const recognised = await recognizers.recognise(request.options, input);
  const heard = await inChineseScript(
    withExactEdges(recognised.utterances, request.chunk, input.samples),
    request.options.chineseScript,
  );
  const isVerbatim = settings.verbatim || request.options.verbatim === true;
  const utterances = isVerbatim ? heard : heard.map(withWrittenNumbers);
  return { engine: recognised.engine, utterances, ...(speakers && { speakers }) };
}

async function detectLanguages(chunks: readonly ChunkAudio[], signal: AbortSignal): Promise<LanguageGuess[]> {
  const guesses: LanguageGuess[] = [];
  for (const chunk of chunks) {
    signal.throwIfAborted();
    guesses.push(await recognizers.detectLanguage(recognizerInput(chunk, { language: null }, signal)));
  }
  return guesses;
}

/** What cannot be loaded fails the request that needs it. */
function warmUp({ engine, language, detector }: SpeechWarmUp): void {
  voiceActivity().catch(() => {});
  if (engine !== 'remote') recognizers.warmUp(engine, language, detector).catch(() => {});
}

function recognizerInput(
  { audio, chunk }: ChunkAudio,
  { language, translate = false, keywords }: Pick<RecogniseOptions, 'language' | 'translate' | 'keywords'>,
  signal: AbortSignal,
): RecognizerInput {
  return { samples: floatSamples(audio), chunk, language, translate, keywords, signal };
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
