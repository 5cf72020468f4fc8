/** The body of HashThread: hashes the streams' blocks where they are in the shared memory, four streams at a time. */
import { getPriority, setPriority } from 'node:os';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { HashReply, HashRequest, HashThreadData } from './hash-thread.ts';
import { blockBytes, initialState, laneCount, Md5Lanes } from './md5-lanes.ts';

/** Answers to other requests go before the hash of an upload. On Linux this holds for the calling thread alone. */
const niceness = 5;
/** After as much of each lane, 0.6 ms, streams that became ready meanwhile join in. */
const passBytes = 256 * 1024;

interface Piece {
  /** Where the block begins; it goes by this name. */
  block: number;
  offset: number;
  bytes: number;
}

interface Stream {
  id: number;
  state: Uint32Array;
  pieces: Piece[];
  tail: Uint8Array;
  totalBytes: number;
  isEnded: boolean;
}

const { memory } = workerData as HashThreadData;
const lanes = new Md5Lanes(memory);
const streams = new Map<number, Stream>();

if (process.platform === 'linux') setPriority(Math.min(getPriority() + niceness, 19));

parentPort?.on('message', (request: HashRequest) => {
  note(request);
  while (hashSome());
});

function note(request: HashRequest): void {
  const stream = streams.get(request.stream) ?? begin(request.stream);
  if ('isBegin' in request) return;
  if ('isEnd' in request) {
    stream.isEnded = true;
  } else {
    const { offset, bytes } = request;
    stream.pieces.push({ block: offset, offset, bytes });
    stream.totalBytes += bytes;
  }
  settle(stream);
}

function begin(id: number): Stream {
  const stream: Stream = {
    id,
    state: initialState(),
    pieces: [],
    tail: new Uint8Array(),
    totalBytes: 0,
    isEnded: false,
  };
  streams.set(id, stream);
  return stream;
}

/** One pass over up to four streams; false when nothing is worth a pass yet. */
function hashSome(): boolean {
  for (let next = nextMessage(); next; next = nextMessage()) note(next);
  const ready = [...streams.values()].filter(({ pieces }) => pieces.length > 0);
  if (!isWorthwhile(ready)) return false;
  const chosen = ready.slice(0, laneCount);
  const inputs = chosen.map(({ state, pieces }) => ({ state, offset: pieces[0]?.offset ?? 0 }));
  const bytes = Math.min(passBytes, ...chosen.map(({ pieces }) => pieces[0]?.bytes ?? 0));
  const blocks = Math.floor(bytes / blockBytes);
  lanes.update(inputs, blocks);
  for (const stream of chosen) advance(stream, blocks * blockBytes);
  return true;
}

/** With so many blocks a stream waits for the others no longer: they are slow, and it would wait in vain. */
const waitingBlocksMax = 1;

/** A pass takes as long for one stream as for four, so it waits until every stream is ready. */
function isWorthwhile(ready: readonly Stream[]): boolean {
  if (ready.length === 0) return false;
  if (ready.length >= Math.min(laneCount, streams.size)) return true;
  return ready.some(({ isEnded, pieces }) => isEnded || pieces.length > waitingBlocksMax);
}

function advance(stream: Stream, bytes: number): void {
  const [piece] = stream.pieces;
  if (piece) {
    piece.offset += bytes;
    piece.bytes -= bytes;
  }
  // To the back: with more than four streams they take turns.
  streams.delete(stream.id);
  streams.set(stream.id, stream);
  settle(stream);
}

/** Gives back the blocks that have been read, and the digest once all is. */
function settle(stream: Stream): void {
  for (let piece = stream.pieces[0]; piece && piece.bytes < blockBytes; piece = stream.pieces[0]) {
    stream.tail = new Uint8Array(memory.buffer).slice(piece.offset, piece.offset + piece.bytes);
    stream.pieces.shift();
    reply({ stream: stream.id, offset: piece.block });
  }
  if (!stream.isEnded || stream.pieces.length > 0) return;
  streams.delete(stream.id);
  const digest = lanes.finish(stream.state, stream.tail, stream.totalBytes);
  reply({ stream: stream.id, digest });
}

function nextMessage(): HashRequest | undefined {
  return parentPort ? (receiveMessageOnPort(parentPort)?.message as HashRequest | undefined) : undefined;
}

function reply(message: HashReply): void {
  parentPort?.postMessage(message);
}
