/** Jobs of the command `transcribe`, by the same steps as the service takes; nothing of them is kept. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Account } from '../../account/account.ts';
import type { Plan } from '../../account/plan.ts';
import { PublicUrl } from '../../http/public-url.ts';
import type { TaskQueue } from '../../platform/queue/queue.ts';
import { type Foundation, openFoundation } from '../../service/foundation.ts';
import type { LazyEgress } from '../../service/lazy-egress.ts';
import { mediaPrograms, openQueue, openStorage, startWorker } from '../../service/processing.ts';
import { eventRecorder } from '../../service/webhooks.ts';
import type { Speech } from '../../speech/speech.ts';
import { workKey, workPrefixOf } from '../../storage/object-key.ts';
import type { ObjectStores } from '../../storage/object-store.ts';
import { segmentWords } from '../../transcript/segment-words.ts';
import { queueJob } from '../../transcription/admission/create-transcription.ts';
import { JobFeed } from '../../transcription/feed/job-feed.ts';
import { progressStore } from '../../transcription/progress-store.ts';
import { optionsFor, type Source } from '../../transcription/transcription.ts';
import { transcriptionStore } from '../../transcription/transcription-store.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import type { FinishedJob, Follower, JobOptions, JobRunner } from './job-runner.ts';
import type { Recording } from './recordings.ts';

/** Each look costs two processes some milliseconds that recognition could use; the end of the job does not wait for it. */
const progressEveryMs = 500;
/** Where nobody looks, only in case that a worker elsewhere ends the job. */
const quietProgressEveryMs = 3_000;
/** Tasks sent from here wake the worker; only those of a worker elsewhere, and repetitions, wait for this. */
const queuePollMs = 3_000;
const stopGraceMs = 1_000;

/** With a queue and a worker of its own, on the database that runs here or on one that is started for it. */
export async function openJobRunner(
  { config, clock, logger, egress }: CommandContext & { egress: LazyEgress },
  speech: Speech,
): Promise<JobRunner> {
  const ends = new EventTarget();
  const foundation = await openFoundation(config, clock, logger);
  const { stores, disk, close } = await openStorage(foundation);
  const queue = await openQueue(foundation, { pollMs: queuePollMs });
  const worker = await startWorker({
    foundation,
    speech,
    programs: await mediaPrograms(foundation),
    stores,
    disk,
    queue,
    egress,
    // A service may run on the same database: this worker may end a job of its accounts, too.
    recordEnd: eventRecorder(foundation, new PublicUrl(config)),
    afterEnd: () => ends.dispatchEvent(new Event('end')),
  });
  return {
    run: (recording, options, follower) =>
      queuedJob({ foundation, stores, queue, ends }, recording, options, follower),
    async close() {
      await queue.stop(stopGraceMs);
      await worker.stop();
      await close();
      await foundation.close();
    },
  };
}

interface Parts {
  foundation: Foundation;
  stores: ObjectStores;
  queue: TaskQueue;
  /** `end`: some job has ended. */
  ends: EventTarget;
}

async function queuedJob(
  parts: Parts,
  recording: Recording,
  options: JobOptions,
  follower: Follower,
): Promise<FinishedJob> {
  const { foundation, stores } = parts;
  const { db, accounts } = foundation;
  const account = await accounts.internal(db);
  const id = options.jobId ?? randomUUID();
  const key = workKey(id, 'source');
  try {
    const isKnown = options.jobId !== undefined && (await transcriptionStore.isOwned(db, account.id, id));
    if (!isKnown) await queueRecording(parts, { id, key, account, recording, options }, follower.signal);
    if (follower.onText) await followed(parts, { accountId: account.id, id }, follower);
    else await untilDone(parts, id, follower);
    const job = await transcriptionStore.findOwned(db, account.id, id);
    if (!job) throw new Error('The job was deleted while it ran.');
    if (job.status === 'failed') throw new CommandFailure(job.error);
    if (job.status === 'processing') throw new Error('The job has not ended.');
    const { language } = job.options;
    return {
      ...job,
      language,
      words: (await transcriptionStore.words(db, id)) ?? segmentWords(job.segments),
    };
  } finally {
    await transcriptionStore.delete(db, id);
    await stores.current.deleteAll(workPrefixOf(id));
  }
}

interface QueuedRecording {
  id: string;
  key: string;
  account: Account;
  recording: Recording;
  options: JobOptions;
}

async function queueRecording(
  { foundation, stores, queue }: Parts,
  { id, key, account, recording, options }: QueuedRecording,
  signal: AbortSignal,
): Promise<void> {
  const { db, accounts } = foundation;
  const source = await storedSource({ stores, key, recording, plan: account.plan }, signal);
  signal.throwIfAborted();
  await queueJob({ db, queue, accounts }, (tx) =>
    transcriptionStore.insert(tx, {
      id,
      accountId: account.id,
      filename: recording.label,
      source,
      options: optionsFor(account.plan, {
        speakerDiarization: options.speakers,
        speakerCount: options.speakerCount,
        language: options.language,
        keywords: options.keywords,
        verbatim: options.verbatim,
        chineseScript: options.chineseScript,
      }),
      allowanceDay: null,
    }),
  );
}

async function storedSource(
  { stores, key, recording, plan }: { stores: ObjectStores; key: string; recording: Recording; plan: Plan },
  signal: AbortSignal,
): Promise<Source> {
  const { current } = stores;
  const { media } = recording;
  if (media.kind === 'link') return { kind: 'url', url: media.url };
  if (media.kind === 'file') {
    await current.write(key, createReadStream(media.path));
    return { kind: 'upload', storage: current.id, key, sizeBytes: media.sizeBytes };
  }
  let sizeBytes = 0;
  const counted = process.stdin.map(
    (bytes: Buffer) => {
      sizeBytes += bytes.length;
      if (sizeBytes > plan.fileBytesMax)
        throw new CommandFailure(
          `Standard input has more than ${plan.fileBytesMax} bytes, the most that is taken.`,
        );
      return bytes;
    },
    { signal },
  );
  await current.write(key, counted);
  if (sizeBytes === 0) throw new CommandFailure('Nothing came from standard input.');
  return { kind: 'upload', storage: current.id, key, sizeBytes };
}

/** As untilDone, with the text as it comes. */
async function followed(
  { foundation, ends }: Parts,
  job: { accountId: string; id: string },
  { signal, onProgress, onText }: Follower,
): Promise<void> {
  const { db, clock } = foundation;
  const feed = new JobFeed({ db, clock }, job);
  const look = () => feed.invalidate();
  ends.addEventListener('end', look);
  const stopLooking = clock.every(progressEveryMs, look);
  try {
    for await (const event of feed.events(0, signal)) {
      if (event.kind === 'progress') onProgress(event.progress);
      if (event.kind === 'text')
        onText?.(event.segments.map(({ lead, segment }) => lead + segment.text).join(''));
    }
    signal.throwIfAborted();
  } finally {
    stopLooking();
    feed.close();
    ends.removeEventListener('end', look);
  }
}

async function untilDone({ foundation, ends }: Parts, id: string, follower: Follower): Promise<void> {
  const { db, clock } = foundation;
  const everyMs = process.stderr.isTTY ? progressEveryMs : quietProgressEveryMs;
  let pause = new AbortController();
  const wake = () => pause.abort();
  ends.addEventListener('end', wake);
  try {
    for (;;) {
      pause = new AbortController();
      const progress = await progressStore.find(db, id);
      if (!progress || progress.stage === 'done') return;
      follower.onProgress(progress);
      await clock.sleep(everyMs, AbortSignal.any([follower.signal, pause.signal])).catch(() => {});
      follower.signal.throwIfAborted();
    }
  } finally {
    ends.removeEventListener('end', wake);
  }
}
