import type { Readable } from 'node:stream';

/** The bytes of a source in parts of exactly `partBytes`, the last one shorter; one part is in memory at a time. */
export async function* partsOf(source: Readable | Buffer, partBytes: number): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  for await (const chunk of Buffer.isBuffer(source) ? [source] : (source as AsyncIterable<Buffer>)) {
    let rest = chunk;
    while (waitingBytes + rest.length >= partBytes) {
      const taken = rest.subarray(0, partBytes - waitingBytes);
      yield Buffer.concat([...waiting, taken]);
      rest = rest.subarray(taken.length);
      waiting = [];
      waitingBytes = 0;
    }
    if (rest.length > 0) waiting.push(rest);
    waitingBytes += rest.length;
  }
  if (waitingBytes > 0) yield Buffer.concat(waiting);
}
