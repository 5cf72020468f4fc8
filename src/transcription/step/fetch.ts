import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { labelOf } from '../../contract/label.ts';
import type { LinkSources } from '../../media/resolve.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ScratchDirectory } from '../../platform/disk/scratch-directory.ts';
import type { TaskQueue } from '../../platform/queue/queue.ts';
import type { Speech } from '../../speech/speech.ts';
import { workKey } from '../../storage/object-key.ts';
import type { ObjectStores } from '../../storage/object-store.ts';
import { transcriptionStore } from '../transcription-store.ts';
import { StageReport } from './stage-report.ts';
import { type JobTask, stepQueues } from './steps.ts';

export interface FetchDeps {
  db: Database;
  clock: Clock;
  queue: TaskQueue;
  stores: ObjectStores;
  sources: LinkSources;
  speech: Speech;
  /** Which recognizer new jobs get; `auto` picks by language. */
  engine: string;
  /** Where a job may keep files while it is worked on. */
  scratch: ScratchDirectory;
}

/** From a job's link to a media object in the store. Repeating it after success changes nothing. */
export async function fetchMedia(
  deps: FetchDeps,
  { transcriptionId }: JobTask,
  signal: AbortSignal,
): Promise<void> {
  const { db, queue, stores } = deps;
  const job = await transcriptionStore.findProcessing(db, transcriptionId);
  if (job?.source.kind !== 'url' || job.media || job.chunksTotal !== null) return;
  const { url } = job.source;
  deps.speech.warmUp(deps.engine, job.options.language);
  await new StageReport(deps, job.id).enter('fetching');
  await deps.scratch.use(async (directory, reservation) => {
    const { file, label } = await deps.sources.acquireSource(url, {
      directory,
      sizeBytesMax: job.options.fileBytesMax,
      durationSecondsMax: job.options.mediaSecondsMax,
      reservation,
      signal,
    });
    const { size: sizeBytes } = await stat(file);
    const media = { storage: stores.current.id, key: workKey(job.id, 'media'), sizeBytes };
    if (stores.current.id === 'local') await reservation.expectShare(sizeBytes); // A second copy on the same disk.
    await stores.current.write(media.key, addAbortSignal(signal, createReadStream(file)), sizeBytes);
    signal.throwIfAborted();
    const filename = labelOf(label, job.filename);
    const wasFirst = await db.transaction(async (tx) => {
      const isFirst = await transcriptionStore.markFetched(tx, job.id, { media, filename });
      if (isFirst)
        await queue.send(tx, stepQueues.decode.name, [{ data: { transcriptionId }, lane: job.lane }]);
      return isFirst;
    });
    if (wasFirst) queue.wake(stepQueues.decode.name);
    // Ended or deleted meanwhile: nobody else knows of this object.
    else if (!(await transcriptionStore.findProcessing(db, job.id))) await stores.current.delete(media.key);
  });
}
