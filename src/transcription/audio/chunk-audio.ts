import type { ObjectStores } from '../../storage/object-store.ts';
import { readObject } from '../../storage/read-object.ts';
import type { Chunk } from '../../timeline/chunk-plan.ts';
import { bytesPerSample } from '../../timeline/pcm-samples.ts';
import type { AudioObject } from '../transcription.ts';

/** The samples of one chunk from the decoded audio of its job. */
export async function chunkAudio(stores: ObjectStores, audio: AudioObject, chunk: Chunk): Promise<Buffer> {
  const range = { start: chunk.startSample * bytesPerSample, end: chunk.endSample * bytesPerSample - 1 };
  const samples = Buffer.allocUnsafeSlow(range.end - range.start + 1);
  let length = 0;
  for await (const part of readObject(stores, audio, { range })) {
    if (length < samples.length) part.copy(samples, length);
    length += part.length;
  }
  if (length !== samples.length)
    throw new Error(`the audio of a chunk has ${length} of ${samples.length} bytes`);
  return samples;
}
