/** What an error in a step means: the only place that decides it. */
import { MediaFailure } from '../../media/media-failure.ts';
import { DatabaseUnavailable } from '../../platform/database/database-fault.ts';
import { NoDiskSpace } from '../../platform/disk/disk-budget.ts';
import { EngineUnavailable, ModelMissing, SpeechProcessDied } from '../../speech/speech.ts';
import { StorageUnavailable } from '../../storage/object-store.ts';
import { StorageNotConfigured } from '../../storage/read-object.ts';

/** What a step cannot do without, and what may be away for a while. */
export type Dependency = 'storage' | 'database' | 'engine' | 'disk';

export type StepFault =
  /** The job's own media: it fails, or the link is tried again where that may help. */
  | { kind: 'media'; failure: MediaFailure }
  /** Nobody's fault and not the task's: waited out. */
  | { kind: 'away'; of: Dependency; retryAfterMs: number }
  /** There is no room for a task of its size: waited out, too, but smaller ones may have room. */
  | { kind: 'no-disk-space' }
  /** This worker cannot do it; another may. */
  | { kind: 'unfit'; model: string | null }
  /** The speech process died of it, or did not answer in time: perhaps the chunk does that to every process. */
  | { kind: 'crash' }
  /** A mistake of ours, or something unknown. */
  | { kind: 'fault' };

/** No room on the disk, no file handles or memory left: of the machine, not of the file that was being written. */
const diskCodes: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
]);
const causesMax = 8;

export function stepFault(error: unknown): StepFault {
  const causes = [...causesOf(error)];
  // The local storage is not away when its disk is full.
  if (causes.some((cause) => cause instanceof NoDiskSpace)) return { kind: 'no-disk-space' };
  for (const cause of causes) {
    const of = dependencyAway(cause);
    if (of)
      return { kind: 'away', of, retryAfterMs: cause instanceof EngineUnavailable ? cause.retryAfterMs : 0 };
  }
  if (error instanceof MediaFailure) return { kind: 'media', failure: error };
  if (error instanceof ModelMissing) return { kind: 'unfit', model: error.model };
  if (error instanceof StorageNotConfigured) return { kind: 'unfit', model: null };
  if (error instanceof SpeechProcessDied) return { kind: 'crash' };
  return { kind: 'fault' };
}

function dependencyAway(error: unknown): Dependency | undefined {
  if (error instanceof StorageUnavailable) return 'storage';
  if (error instanceof DatabaseUnavailable) return 'database';
  if (error instanceof EngineUnavailable) return 'engine';
  return diskCodes.has((error as NodeJS.ErrnoException).code ?? '') ? 'disk' : undefined;
}

/** The error, and what it was made of. */
function* causesOf(error: unknown): Generator<unknown> {
  let next = error;
  for (let depth = 0; depth < causesMax && typeof next === 'object' && next !== null; depth += 1) {
    yield next;
    next = (next as { cause?: unknown }).cause;
  }
}
