/** One job of the command `transcribe`, by the same steps as the service takes; nothing of it is kept. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { labelOf } from '../contract/label.ts';
import { PublicUrl } from '../http/public-url.ts';
import { labelOfSource } from '../media/label.ts';
import type { TaskQueue } from '../platform/queue.ts';
import { type Foundation, openFoundation } from '../service/foundation.ts';
import type { LazyEgress } from '../service/lazy-egress.ts';
import { mediaPrograms, openQueue, openStorage, startWorker } from '../service/processing.ts';
import { eventRecorder } from '../service/webhooks.ts';
import type { SpeakerCount } from '../speech/speaker/cluster/speaker-clusters.ts';
import type { Speech } from '../speech/speech.ts';
import { workKey } from '../storage/object-key.ts';
import type { ObjectStores } from '../storage/object-store.ts';
import { segmentWords } from '../transcript/segment-words.ts';
import type { TranscriptWord } from '../transcript/transcript-word.ts';
import { queueJob } from '../transcription/create-transcription.ts';
import { progressOf } from '../transcription/progress.ts';
import { type CompletedTranscription, optionsFor } from '../transcription/transcription.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import type { CommandContext } from './command-context.ts';
import { ProgressBar } from './progress-bar.ts';
import { UsageError } from './usage-error.ts';

/** Each look costs two processes some milliseconds that recognition could use; the end of the job does not wait for it. */
const progressEveryMs = 500;
/** Where nobody looks, only in case that a worker elsewhere ends the job. */
const quietProgressEveryMs = 3_000;
/** Tasks sent from here wake the worker; only those of a worker elsewhere, and repetitions, wait for this. */
const queuePollMs = 3_000;
const stopGraceMs = 1_000;

export type JobMedia =
  | { kind: 'file'; label: string; path: string; sizeBytes: number }
  | { kind: 'link'; url: string };

export interface JobOptions {
  /** Null: found out. */
  language: string | null;
  speakers: boolean;
  speakerCount: SpeakerCount | null;
}

export interface FinishedJob extends CompletedTranscription {
  words: TranscriptWord[];
}

/** With a queue and a worker of its own, on the database that runs here or on one that is started for it. */
export async function runJob(
  { config, clock, logger, egress }: CommandContext & { egress: LazyEgress },
  speech: Speech,
  media: JobMedia,
  options: JobOptions,
): Promise<FinishedJob> {
  const ends = new EventTarget();
  const foundation = await openFoundation(config, clock, logger);
  const { stores, close } = await openStorage(foundation);
  const queue = await openQueue(foundation, { pollMs: queuePollMs });
  const worker = await startWorker({
    foundation,
    speech,
    programs: await mediaPrograms(foundation),
    stores,
    queue,
    egress,
    // A service may run on the same database: this worker may end a job of its accounts, too.
    recordEnd: eventRecorder(foundation, new PublicUrl(config)),
    afterEnd: () => ends.dispatchEvent(new Event('end')),
  });
  try {
    return await queuedJob({ foundation, stores, queue, ends }, media, options);
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

async function queuedJob(parts: Parts, media: JobMedia, options: JobOptions): Promise<FinishedJob> {
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
        filename: media.kind === 'link' ? labelOf(labelOfSource(media.url), 'link') : media.label,
        source:
          media.kind === 'link'
            ? { kind: 'url', url: media.url }
            : { kind: 'upload', storage: stores.current.id, key, sizeBytes: media.sizeBytes },
        options: optionsFor(account.plan, {
          speakerDiarization: options.speakers,
          speakerCount: options.speakerCount,
          language: options.language,
        }),
        allowanceDay: null,
      }),
    );
    await untilDone(foundation, id, { ends, interrupted });
    const job = await transcriptionStore.findOwned(db, account.id, id);
    if (!job) throw new Error('The job was deleted while it ran.');
    if (job.status === 'failed') throw new UsageError(job.error);
    if (job.status === 'processing') throw new Error('The job has not ended.');
    return { ...job, words: (await transcriptionStore.words(db, id)) ?? segmentWords(job.segments) };
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
  const everyMs = process.stderr.isTTY ? progressEveryMs : quietProgressEveryMs;
  let pause = new AbortController();
  ends.addEventListener('end', () => pause.abort());
  try {
    for (;;) {
      pause = new AbortController();
      const progress = await progressOf(db, id);
      if (!progress || progress.stage === 'done') return;
      bar.show(progress.stage, progress.percent);
      await clock.sleep(everyMs, AbortSignal.any([interrupted, pause.signal])).catch(() => {});
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
