/**
 * An OpenAI-compatible transcription endpoint as the recognizer. Voice activity, chunks and speakers stay here; only
 * the audio of a chunk goes out, and its text comes back.
 */

import { z } from 'zod';
import type { Egress } from '../../egress/egress.ts';
import { EgressFailure, type EgressFailureKind } from '../../egress/failure.ts';
import type { Chunk } from '../../timeline/chunk-plan.ts';
import { floatSamples } from '../../timeline/pcm-samples.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';
import { type RecognisedUtterance, voicedSeconds } from '../../timeline/utterance.ts';
import { inChineseScript } from '../../transcript/chinese-script.ts';
import { utterancesWithWords } from '../../transcript/utterances-with-words.ts';
import type { ChunkResult, RecogniseOptions } from '../chunk-result.ts';
import { spokenText } from '../recognizer/spoken-text.ts';
import { cannotTranslate, EngineUnavailable, type Speech, SpeechError } from '../speech.ts';
import { withExactEdges } from '../voice/span-edges.ts';
import { transcriptionForm } from './remote-form.ts';

interface RemoteEndpoint {
  /** The base (`https://host/v1`) or the whole address of the operation. */
  url: string;
  key: string | undefined;
  model: string;
}

interface RemoteSpeechDeps {
  endpoint: RemoteEndpoint;
  /** Answers everything but the text. */
  local: Speech;
  egress: Pick<Egress, 'request'>;
  /** Requests under way at once. */
  concurrency: number;
}

const limits = {
  connectMs: 10_000,
  totalMs: 120_000,
  idleMs: 120_000,
  bytesMax: 4 * 2 ** 20,
  headerBytesMax: 64 * 1024,
  redirectsMax: 0,
};

const answerSchema = z.object({
  text: z.string(),
  language: z.string().nullish(),
  words: z.array(z.object({ word: z.string(), start: z.number(), end: z.number() })).nullish(),
});
type Answer = z.infer<typeof answerSchema>;

export class RemoteSpeech implements Speech {
  readonly #deps: RemoteSpeechDeps;
  readonly #url: string;
  #underWay = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(deps: RemoteSpeechDeps) {
    this.#deps = deps;
    const base = deps.endpoint.url.replace(/\/+$/, '');
    this.#url = base.endsWith('/audio/transcriptions') ? base : `${base}/audio/transcriptions`;
  }

  warmUp: Speech['warmUp'] = (...args) => this.#deps.local.warmUp(...args);
  findSpeech: Speech['findSpeech'] = (...args) => this.#deps.local.findSpeech(...args);
  detectLanguages: Speech['detectLanguages'] = (...args) => this.#deps.local.detectLanguages(...args);
  embedSpeakers: Speech['embedSpeakers'] = (...args) => this.#deps.local.embedSpeakers(...args);
  joinSpeakers: Speech['joinSpeakers'] = (...args) => this.#deps.local.joinSpeakers(...args);
  close: Speech['close'] = () => this.#deps.local.close();

  async recognise(
    audio: Uint8Array,
    chunk: Chunk,
    options: RecogniseOptions,
    signal: AbortSignal,
  ): Promise<ChunkResult> {
    if (options.engine !== 'remote') return this.#deps.local.recognise(audio, chunk, options, signal);
    if (options.translate && options.language !== 'en') throw cannotTranslate('remote');
    const evidence = options.speakers ? this.#deps.local.recognise(audio, chunk, options, signal) : undefined;
    const answer = await this.#inSlot(signal, () => this.#ask(audio, options, signal));
    const { speakers } = (await evidence) ?? {};
    const heard = withExactEdges(
      recognisedUtterances(answer, chunk, options.language),
      chunk,
      floatSamples(audio),
    );
    const utterances = await inChineseScript(heard, options.chineseScript);
    return { engine: `remote ${this.#deps.endpoint.model}`, utterances, ...(speakers && { speakers }) };
  }

  /** Once: whoever waits for another try does so outside of a slot. */
  async #ask(
    audio: Uint8Array,
    { language, prompt, keywords }: RecogniseOptions,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { endpoint, egress } = this.#deps;
    const form = transcriptionForm(audio, {
      model: endpoint.model,
      language,
      // Whisper takes a list of names for a text before this one.
      prompt: prompt ?? keywords?.join(', '),
    });
    try {
      const response = await egress.request({
        url: this.#url,
        method: 'POST',
        headers: {
          'content-type': form.contentType,
          accept: 'application/json',
          ...(endpoint.key !== undefined && { authorization: `Bearer ${endpoint.key}` }),
        },
        body: form.body,
        limits,
        signal,
        keepAlive: true,
      });
      if (response.status !== 200) {
        response.close();
        throw refusal(response.status, response.headers['retry-after']);
      }
      return parsedAnswer(await response.text());
    } catch (cause) {
      if (!(cause instanceof EgressFailure)) throw cause;
      const message = `the transcription endpoint gave no answer (${cause.kind})`;
      throw isAnswer.has(cause.kind)
        ? new SpeechError(message, { transient: false, cause })
        : new EngineUnavailable(message, { cause });
    }
  }

  async #inSlot<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    while (this.#underWay >= this.#deps.concurrency) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      signal.throwIfAborted();
    }
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      this.#waiting.shift()?.();
    }
  }
}

/** It was reached, and what it said cannot be used. */
const isAnswer: ReadonlySet<EgressFailureKind> = new Set(['too_large', 'too_many_redirects', 'bad_answer']);

/** A key or an address that is wrong is the operator's to mend, and not the fault of the chunk. */
const unavailableStatuses: ReadonlySet<number> = new Set([401, 403, 404, 408, 425, 429]);

function refusal(status: number, retryAfter: string | undefined): SpeechError {
  const message = `the transcription endpoint answered ${status}`;
  if (status < 500 && !unavailableStatuses.has(status)) return new SpeechError(message, { transient: false });
  const retryAfterMs = /^\d{1,4}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : 0;
  return new EngineUnavailable(message, { retryAfterMs });
}

function parsedAnswer(text: string): Answer {
  try {
    return answerSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new SpeechError('the transcription endpoint gave an answer that is not a transcription', {
      transient: false,
      cause,
    });
  }
}

function recognisedUtterances(
  { text, words, language: detected }: Answer,
  chunk: Chunk,
  wanted: string | null,
): RecognisedUtterance[] {
  const spoken = spokenText(text, voicedSeconds(chunk.utterances));
  if (spoken === '') return [];
  const language = wanted ?? (detected && /^[a-z]{2,3}$/.test(detected) ? detected : null);
  if (words && words.length > 0 && spoken === text.trim()) {
    const sampleAt = (seconds: number) =>
      Math.min(chunk.endSample, Math.max(0, Math.round(seconds * sampleRate)) + chunk.startSample);
    const timed = words.map(({ word, start, end }) => ({
      text: ` ${word.trim()}`,
      startSample: sampleAt(start),
      endSample: sampleAt(Math.max(start, end)),
    }));
    return utterancesWithWords(chunk, timed, language);
  }
  const spans = chunk.utterances.flatMap((utterance) => utterance.spans);
  const startSample = spans[0]?.startSample ?? chunk.startSample;
  const endSample = spans.at(-1)?.endSample ?? chunk.endSample;
  return [{ startSample, endSample, spans, text: spoken, language }];
}
