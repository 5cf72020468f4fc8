import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type Config, publicUrlOf } from '../config.ts';
import { labelOf } from '../contract/label.ts';
import { labelOfSource } from '../media/resolve.ts';
import { judgeUrl } from '../platform/egress-url.ts';
import type { TaskQueue } from '../platform/queue.ts';
import { type Foundation, openFoundation } from '../service/foundation.ts';
import { openQueue, openStorage, startWorker } from '../service/processing.ts';
import { openSpeech } from '../service/speech.ts';
import { eventRecorder } from '../service/webhooks.ts';
import { conversationText } from '../speech/speaker/conversation-text.ts';
import { type SpeakerCount, speakersMax } from '../speech/speaker/speaker-clusters.ts';
import type { Speech } from '../speech/speech.ts';
import { srt, vtt } from '../speech/subtitles.ts';
import { workKey } from '../storage/object-key.ts';
import type { ObjectStores } from '../storage/object-store.ts';
import { queueJob } from '../transcription/create-transcription.ts';
import { progressOf } from '../transcription/progress.ts';
import { optionsFor, type Transcription } from '../transcription/transcription.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import { type CommandContext, commandContext } from './command-context.ts';
import { ProgressBar } from './progress-bar.ts';
import { UsageError } from './usage-error.ts';

const formats = ['txt', 'srt', 'vtt', 'json'] as const;
type Format = (typeof formats)[number];

export interface TranscribeOptions {
  format?: string;
  json?: boolean;
  output?: string;
  speakers?: boolean;
  speakerCount?: string;
  language?: string;
}

/** Each look costs two processes some milliseconds that recognition could use; the end of the job does not wait for it. */
const progressEveryMs = 500;
const stopGraceMs = 1_000;

/** The whole job on this machine, by the same steps as the service takes; nothing of it is kept. */
export async function transcribe(given: string, options: TranscribeOptions): Promise<void> {
  const format = formatOf(options);
  speakerCountOf(options);
  const { config, clock, logger } = commandContext();
  const media = /^https?:\/\//i.test(given) ? mediaLink(given, config) : await mediaFile(given);
  const speech = await openSpeech({ config, clock, logger });
  if (!speech) {
    throw new UsageError('The speech models are not installed: run "longhand models install --default".');
  }
  try {
    // The models are loaded while the database starts.
    speech.warmUp(config.engine.name, languageOf(options));
    const job = await jobWithWorker({ config, clock, logger }, speech, media, options);
    await write(rendered(job, format), options.output);
  } finally {
    await speech.close();
  }
}

async function jobWithWorker(
  { config, clock, logger }: CommandContext,
  speech: Speech,
  media: Media,
  options: TranscribeOptions,
): Promise<Transcription> {
  const ends = new EventTarget();
  const foundation = await openFoundation(config, clock, logger);
  const publicUrl = () => publicUrlOf(config);
  const { stores, close } = await openStorage(foundation, publicUrl);
  const queue = await openQueue(foundation);
  const worker = await startWorker({
    foundation,
    speech,
    stores,
    queue,
    // A service may run on the same database: this worker may end a job of its accounts, too.
    recordEnd: eventRecorder(foundation, publicUrl),
    afterEnd: () => ends.dispatchEvent(new Event('end')),
  });
  try {
    return await runJob({ foundation, stores, queue, ends }, media, options);
  } finally {
    await queue.stop(stopGraceMs);
    await worker.stop();
    await close();
    await foundation.close();
  }
}

interface Parts {
  foundation: Foundation;
  stores: ObjectStores;
  queue: TaskQueue;
  /** `end`: some job has ended. */
  ends: EventTarget;
}

async function runJob(parts: Parts, media: Media, options: TranscribeOptions): Promise<Transcription> {
  const { foundation, stores, queue, ends } = parts;
  const { db, accounts } = foundation;
  const account = await accounts.internal(db);
  const id = randomUUID();
  const key = workKey(id, 'source');
  const interrupted = interruption();
  try {
    if (media.kind === 'file') await stores.current.write(key, createReadStream(media.path));
    await queueJob({ db, queue }, (tx) =>
      transcriptionStore.insert(tx, {
        id,
        accountId: account.id,
        filename: media.label,
        source:
          media.kind === 'link'
            ? { kind: 'url', url: media.url }
            : { kind: 'upload', storage: stores.current.id, key, sizeBytes: media.sizeBytes },
        options: optionsFor(account.plan, {
          speakerDiarization: options.speakers === true || options.speakerCount !== undefined,
          speakerCount: speakerCountOf(options),
          language: languageOf(options),
        }),
        allowanceDay: null,
      }),
    );
    await untilDone(foundation, id, { ends, interrupted });
    const job = await transcriptionStore.findOwned(db, account.id, id);
    if (!job) throw new Error('The job was deleted while it ran.');
    if (job.status === 'failed') throw new UsageError(job.error ?? 'The file could not be transcribed.');
    return job;
  } finally {
    await transcriptionStore.delete(db, id);
    await stores.current.delete(key);
    await stores.current.delete(workKey(id, 'audio.s16le'));
  }
}

async function untilDone(
  { db, clock }: Foundation,
  id: string,
  { ends, interrupted }: { ends: EventTarget; interrupted: AbortSignal },
): Promise<void> {
  const bar = new ProgressBar(process.stderr);
  let pause = new AbortController();
  ends.addEventListener('end', () => pause.abort());
  try {
    for (;;) {
      pause = new AbortController();
      const progress = await progressOf(db, id);
      if (!progress || progress.stage === 'done') return;
      bar.show(progress.stage, progress.percent);
      await clock.sleep(progressEveryMs, AbortSignal.any([interrupted, pause.signal])).catch(() => {});
      interrupted.throwIfAborted();
    }
  } catch (error) {
    if (interrupted.aborted) throw new UsageError('Interrupted; nothing was kept.');
    throw error;
  } finally {
    bar.clear();
  }
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

function languageOf({ language }: TranscribeOptions): string | null {
  if (language === undefined) return null;
  if (!/^[a-z]{2,3}$/.test(language))
    throw new UsageError(`--language must be a code of two or three letters such as en, not "${language}".`);
  return language;
}

function speakerCountOf({ speakerCount }: TranscribeOptions): SpeakerCount | null {
  if (speakerCount === undefined) return null;
  const [, low, high = low] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(speakerCount) ?? [];
  const count = { min: Number(low), max: Number(high) };
  if (count.min >= 1 && count.min <= count.max && count.max <= speakersMax) return count;
  throw new UsageError(
    `--speaker-count must be a number from 1 to ${speakersMax} or a range such as 2-4, not "${speakerCount}".`,
  );
}

function formatOf({ format, json }: TranscribeOptions): Format {
  const wanted = format ?? (json ? 'json' : 'txt');
  const known = formats.find((one) => one === wanted);
  if (!known) throw new UsageError(`--format must be one of ${formats.join(', ')}, not "${wanted}".`);
  return known;
}

type Media =
  | { kind: 'file'; label: string; path: string; sizeBytes: number }
  | { kind: 'link'; label: string; url: string };

function mediaLink(url: string, { egressAllow }: Config): Media {
  const verdict = judgeUrl(url, { allow: egressAllow });
  if (!verdict.ok) throw new UsageError(`This link cannot be opened: ${verdict.reason}.`);
  return { kind: 'link', label: labelOf(labelOfSource(url), 'link'), url };
}

async function mediaFile(path: string): Promise<Media> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new UsageError(`There is no file "${path}".`);
  if (found.size === 0) throw new UsageError(`The file "${path}" is empty.`);
  return { kind: 'file', label: labelOf(basename(path), 'file'), path, sizeBytes: found.size };
}

function rendered({ text, segments, durationSeconds }: Transcription, format: Format): string {
  if (format === 'srt') return srt(segments ?? []);
  if (format === 'vtt') return vtt(segments ?? []);
  if (format === 'json') return `${JSON.stringify({ duration_seconds: durationSeconds, text, segments })}\n`;
  const isConversation = segments?.some(({ speaker }) => speaker !== undefined) ?? false;
  const readable = isConversation ? conversationText(segments ?? []) : text;
  return readable ? `${readable}\n` : '';
}

async function write(content: string, output: string | undefined): Promise<void> {
  if (output === undefined) process.stdout.write(content);
  else await writeFile(output, content);
}
