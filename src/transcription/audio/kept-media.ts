import type { Queryable } from '../../platform/database/database.ts';
import type { ObjectStores } from '../../storage/object-store.ts';
import type { MediaObject, Source } from '../transcription.ts';
import type { PlaybackMedia } from './playback.ts';

/**
 * The recording of a completed job for as long as it is kept: what was uploaded, or the copy that browsers play. Undefined
 * when it was erased, or replaced by another.
 */
export async function keptMedia(
  { db, stores }: { db: Queryable; stores: ObjectStores },
  transcriptionId: string,
): Promise<MediaObject | undefined> {
  const [row] = await db.query<{ source: Source; media: PlaybackMedia | null }>(
    `select source, playback.media from transcription left join playback on transcription_id = id
     where id = $1 and status = 'completed'`,
    [transcriptionId],
  );
  if (!row) return undefined;
  const { source, media } = row;
  const upload = source.kind === 'upload' ? [{ ...source, wanted: source.etag }] : [];
  for (const { storage, key, wanted } of [...upload, ...(media ? [{ ...media, wanted: undefined }] : [])]) {
    const object = await stores.get(storage)?.head(key);
    if (object && (wanted === undefined || wanted === object.etag))
      return { storage, key, sizeBytes: object.sizeBytes, etag: object.etag };
  }
  return undefined;
}
