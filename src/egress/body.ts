/** The body of an answer within its bounds: never more bytes than allowed, neither as sent nor as decompressed. */
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EgressFailure } from './failure.ts';

export interface BodyOptions {
  source: Readable;
  headers: Readonly<Record<string, string>>;
  bytesMax: number;
  close(): void;
  /** Turns a fault of the connection into the failure to throw. */
  explain(error: unknown): unknown;
}

/** Reads once. Whatever ends the reading also closes the connection. */
export async function* boundedBody(options: BodyOptions): AsyncGenerator<Buffer> {
  const { source, headers, bytesMax, close, explain } = options;
  try {
    const declared = Number(headers['content-length']);
    if (declared > bytesMax) throw tooLarge(bytesMax);
    const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    const isPlain = encoding === 'identity' || encoding === '';
    const plain: AsyncIterable<Buffer> = isPlain ? source : decompressed(encoding, counted(source, bytesMax));
    let bytes = 0;
    for await (const chunk of plain) {
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      yield chunk;
    }
  } catch (error) {
    throw explain(error);
  } finally {
    source.on('error', () => {});
    source.destroy();
    close();
  }
}

async function* counted(source: Readable, bytesMax: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge(bytesMax);
    yield chunk;
  }
}

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** We ask for the plain form; some servers compress all the same. Output is made only as fast as it is read. */
async function* decompressed(encoding: string, source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const decoder = decoders[encoding]?.();
  if (!decoder) throw new EgressFailure('bad_answer', 'a content encoding we did not ask for');
  pipeline(source, decoder).catch(() => {}); // Seen below: the pipeline destroys the decoder with the same error.
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!/^(Z_|ERR__?ERROR|ERR_BROTLI)/.test(code)) throw error;
    throw new EgressFailure('bad_answer', 'damaged compression', { cause: error });
  }
}

function tooLarge(bytesMax: number): EgressFailure {
  return new EgressFailure('too_large', `more than ${bytesMax} bytes`);
}
