import type { Logger } from '../../platform/telemetry/telemetry.ts';
import type { ObjectStores } from '../../storage/object-store.ts';
import type { AudioObject } from '../transcription.ts';

/** An object that a job made for itself has served. What cannot be deleted now is left to the sweep. */
export async function removeWorkObject(
  { stores, logger }: { stores: ObjectStores; logger: Logger },
  job: string,
  { storage, key }: AudioObject,
): Promise<void> {
  try {
    await stores.get(storage)?.delete(key);
  } catch (error) {
    logger.warn({ err: error, job }, 'a work object of a job could not be deleted');
  }
}
