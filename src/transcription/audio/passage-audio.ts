import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { decodeStretch } from '../../media/decode.ts';
import type { MediaPrograms } from '../../media/probe.ts';
import type { ScratchDirectory } from '../../platform/disk/scratch-directory.ts';
import type { ObjectStores } from '../../storage/object-store.ts';
import { readObject } from '../../storage/read-object.ts';
import type { MediaObject } from '../transcription.ts';

export interface PassageAudioDeps {
  stores: ObjectStores;
  scratch: ScratchDirectory;
  programs: MediaPrograms;
}

/** The samples of a stretch of a recording. Whoever calls it keeps the stretch short: all of it is in memory. */
export async function passageAudio(
  { stores, scratch, programs }: PassageAudioDeps,
  media: MediaObject,
  { startMs, endMs }: { startMs: number; endMs: number },
  signal: AbortSignal,
): Promise<Buffer> {
  return await scratch.use(async (directory, reservation) => {
    const file = join(directory, 'media');
    await reservation.cover(media.sizeBytes);
    const object = readObject(stores, media, { etag: media.etag });
    await pipeline(object, createWriteStream(file, { mode: 0o600 }), { signal });
    const stretch = { fromSeconds: startMs / 1000, seconds: (endMs - startMs) / 1000, signal };
    return Buffer.concat(await Array.fromAsync(decodeStretch(programs, file, stretch)));
  });
}
