/** The parent's side of one speech process: requests go in, answers come out, and its end is an error of the request. */

import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../platform/clock.ts';
import { forkModule } from '../../platform/process/subprocess.ts';
import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { SpeakerTurn } from '../../timeline/turn.ts';
import type { ChunkResult, RecogniseOptions, SpeakerEmbeddings } from '../chunk-result.ts';
import type { LanguageGuess } from '../recognizer/recognizer.ts';
import type { SpeakerCount } from '../speaker/cluster/speaker-clusters.ts';
import { type ChunkAudio, ModelMissing, SpeechError, SpeechProcessDied } from '../speech.ts';
import type { BlockActivity } from '../voice/voice-block.ts';
import { PendingAnswers } from './pending-answers.ts';
import { requestLimitMs } from './request-limit.ts';
import {
  exitCodeMemory,
  type SpeechAnswer,
  type SpeechCancel,
  type SpeechProcessSettings,
  type SpeechRequest,
  type SpeechWarmUp,
} from './speech-message.ts';

const mainPath = fileURLToPath(new URL('./speech-process-main.ts', import.meta.url));
const errorOutputCharactersMax = 2000;
/**
 * Native code runs on Node's thread pool, and glibc keeps an arena of freed memory for each thread: with four of them a
 * process grew by a quarter over ten hours.
 */
const allocatorEnvironment = { UV_THREADPOOL_SIZE: '2', MALLOC_ARENA_MAX: '1' };

export class SpeechProcess {
  readonly #child: ChildProcess;
  readonly #clock: Clock;
  readonly #pending = new PendingAnswers();
  readonly exited: Promise<void>;
  #errorOutput = '';
  #nextId = 1;
  #ended: SpeechProcessDied | null = null;
  #closing = false;

  constructor(settings: SpeechProcessSettings, clock: Clock) {
    this.#clock = clock;
    const child = forkModule(mainPath, { args: [JSON.stringify(settings)], env: allocatorEnvironment });
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorOutput = (this.#errorOutput + text).slice(-errorOutputCharactersMax);
    });
    child.on('message', (answer: SpeechAnswer) => this.#pending.settle(answer));
    this.exited = new Promise((resolve) => {
      child.once('error', (cause) => this.#end('could not be started', cause, resolve));
      child.once('exit', (code, signal) => this.#end(exitText(code, signal), this.#errorOutput, resolve));
    });
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  /** Why it ended, unless it was told to. */
  get failure(): SpeechProcessDied | null {
    return this.#closing ? null : this.#ended;
  }

  async recognise(
    audio: Uint8Array,
    chunk: Chunk,
    options: RecogniseOptions,
    signal: AbortSignal,
  ): Promise<ChunkResult> {
    const id = this.#nextId++;
    const answer = await this.#askUntil(signal, { type: 'recognise', id, audio, chunk, options });
    if (answer.type !== 'recognised') throw unexpected(answer);
    return answer.result;
  }

  async detectLanguages(chunks: readonly ChunkAudio[], signal: AbortSignal): Promise<LanguageGuess[]> {
    const answer = await this.#askUntil(signal, { type: 'detect-languages', id: this.#nextId++, chunks });
    if (answer.type !== 'languages-detected') throw unexpected(answer);
    return answer.guesses;
  }

  async joinSpeakers(evidence: SpeakerEmbeddings, count: SpeakerCount): Promise<SpeakerTurn[]> {
    const answer = await this.#ask({ type: 'join-speakers', id: this.#nextId++, evidence, count });
    if (answer.type !== 'speakers-joined') throw unexpected(answer);
    return answer.turns;
  }

  async detectVoice(block: Uint8Array): Promise<BlockActivity> {
    const answer = await this.#ask({ type: 'detect-voice', id: this.#nextId++, block });
    if (answer.type !== 'voice-detected') throw unexpected(answer);
    return answer.activity;
  }

  /** Loads models while nothing is asked, or beside what is. */
  warmUp(models: Omit<SpeechWarmUp, 'type'>): void {
    this.#tell({ type: 'warm-up', ...models });
  }

  /** At once: a speech process has nothing to save. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#kill();
    await this.exited;
  }

  #kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** When the signal aborts, the process is told to give the request up; it answers in any case. */
  async #askUntil(signal: AbortSignal, request: SpeechRequest): Promise<SpeechAnswer> {
    const onAbort = () => this.#tell({ type: 'cancel', id: request.id });
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await this.#ask(request);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #ask(request: SpeechRequest): Promise<SpeechAnswer> {
    if (this.#ended) throw this.#ended;
    const pending = this.#pending.of(request.id);
    const limit = this.#clock.timeout(requestLimitMs(request));
    const onTimeout = () => this.#kill();
    limit.addEventListener('abort', onTimeout, { once: true });
    this.#child.send(request, (error) => {
      if (error) this.#kill();
    });
    try {
      const answer = await pending;
      if (answer.type === 'failed') throw failureOf(answer);
      return answer;
    } finally {
      limit.removeEventListener('abort', onTimeout);
    }
  }

  /** Sent beside the request under way; no answer comes, and a process that has ended needs not be told. */
  #tell(message: SpeechCancel | SpeechWarmUp): void {
    if (!this.#ended) this.#child.send(message, () => {});
  }

  #end(what: string, cause: unknown, done: () => void): void {
    this.#ended = new SpeechProcessDied(`the speech process ${what}`, cause);
    this.#pending.rejectAll(this.#ended);
    done();
  }
}

function failureOf({ message, transient, missingModel }: SpeechAnswer & { type: 'failed' }): SpeechError {
  return missingModel === undefined
    ? new SpeechError(message, { transient })
    : new ModelMissing(missingModel);
}

function exitText(code: number | null, signal: NodeJS.Signals | null): string {
  if (code === exitCodeMemory) return 'went over its memory limit';
  return signal ? `was ended by ${signal}` : `ended with code ${code}`;
}

function unexpected(answer: SpeechAnswer): Error {
  return new Error(`the speech process answered ${answer.type}`);
}
