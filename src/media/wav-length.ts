/** The length that a WAV file states. ffprobe believes the file's size instead, so a cut-off file looks whole to it. */
import { open } from 'node:fs/promises';

const headerBytesMax = 65_536;
/** Recorders that write to a pipe leave sizes such as 0 or 0xFFFFFFFF, which state nothing. */
const statedBytesMax = 0xff000000;

/** Undefined when the file is no plain WAV or states no length. */
export async function statedWavSeconds(file: string): Promise<number | undefined> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerBytesMax), 0, headerBytesMax, 0);
  return wavSeconds(buffer.subarray(0, bytesRead));
}

function wavSeconds(head: Buffer): number | undefined {
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= head.length; ) {
    const type = head.toString('latin1', at, at + 4);
    const size = head.readUInt32LE(at + 4);
    if (type === 'fmt ' && at + 20 <= head.length) bytesPerSecond = head.readUInt32LE(at + 16);
    if (type === 'data')
      return size > 0 && size < statedBytesMax && bytesPerSecond > 0 ? size / bytesPerSecond : undefined;
    at += 8 + size + (size % 2);
  }
  return undefined;
}
