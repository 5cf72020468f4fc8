import type { Queryable } from '../../platform/database/database.ts';
import type { ObjectStores } from '../../storage/object-store.ts';
import type { MediaObject } from '../transcription.ts';
import { playbackStore } from './playback-store.ts';

/**
 * The recording of a completed job for as long as it is kept: what was uploaded, or the copy that browsers play. Undefined
 * when it was erased, or replaced by another.
 */
export async function keptMedia(
  { db, stores }: { db: Queryable; stores: ObjectStores },
  transcriptionId: string,
): Promise<MediaObject | undefined> {
  const recording = await playbackStore.recording(db, transcriptionId);
  if (!recording) return undefined;
  const { source, media } = recording;
  const upload = source.kind === 'upload' ? [{ ...source, wanted: source.etag }] : [];
  for (const { storage, key, wanted } of [...upload, ...(media ? [{ ...media, wanted: undefined }] : [])]) {
    const object = await stores.get(storage)?.head(key);
    if (object && (wanted === undefined || wanted === object.etag))
      return { storage, key, sizeBytes: object.sizeBytes, etag: object.etag };
  }
  return undefined;
}
