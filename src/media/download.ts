/** Bytes of a link into a private file: bounded, and taken up again where a broken connection left off. */
import { open } from 'node:fs/promises';
import type { Egress, EgressResponse } from '../egress/egress.ts';
import { EgressFailure } from '../egress/failure.ts';
import type { Clock } from '../platform/clock.ts';
import { acceptedType, extensionOf } from './accepted-media.ts';
import { failureOfEgress, failureOfStatus } from './answer-failure.ts';
import { FileWriter } from './file-writer.ts';
import type { DownloadReservation } from './folder-reservation.ts';
import { labelFromAnswer } from './label.ts';
import { looksLikeHtml, magicBytesWanted, mediaKind } from './magic.ts';
import { MediaFailure } from './media-failure.ts';
import { fastEnough, RateMeter } from './minimum-rate.ts';

export interface DownloadOptions {
  egress: Egress;
  clock: Clock;
  /** Where the bytes go; made new. */
  file: string;
  sizeBytesMax: number;
  reservation?: DownloadReservation;
  signal?: AbortSignal;
}

export type DownloadResult =
  | { kind: 'media'; label: string; bytes: number }
  /** A web page came instead of media: its address after redirects, and its beginning. */
  | { kind: 'page'; url: URL; html: string }
  /** A playlist of media segments; only the page resolver can read it. */
  | { kind: 'manifest'; url: URL }
  | { kind: 'archive' };

const limits = { connectMs: 10_000, idleMs: 30_000, headerBytesMax: 65_536, redirectsMax: 10 };
/** An hour for up to 5 GiB is 1.4 MB/s; whoever is slower than that keeps a worker for too long. */
const totalMs = 3_600_000;
const resumesMax = 20;
const resumesWithoutProgressMax = 3;
/** Of a page that says why there is no file. */
const pageBytesMax = 524_288;

export const requestHeaders: Readonly<Record<string, string>> = {
  'user-agent': 'Mozilla/5.0 (compatible; Longhand)',
  accept: 'video/*, audio/*, application/octet-stream, */*;q=0.8',
  'accept-language': 'en',
};

/** Throws a MediaFailure; `transient` ones are worth another try from the start. */
export async function download(url: URL, options: DownloadOptions): Promise<DownloadResult> {
  const deadline = options.clock.now() + totalMs;
  const first = await answerOf(url, options, totalMs, {});
  const meter = new RateMeter();
  const stream = fastEnough(first.body, meter, options.clock);
  const { head, ended } = await readHead(stream);
  const kind = kindOf(first, head);
  if (kind !== 'media') {
    if (kind !== 'page') first.close();
    return kind === 'page'
      ? { kind, url: first.url, html: await restOfPage(head, stream) }
      : kindResult(kind, first);
  }
  refuseEncoded(first);
  await using file = await open(options.file, 'wx', 0o600);
  const writer = new FileWriter(file, options.reservation);
  await writer.add(head);
  if (!ended) await receive({ stream, meter, first, deadline }, writer, options);
  await writer.flush();
  return {
    kind: 'media',
    label: labelFromAnswer(first.url, first.headers['content-disposition']),
    bytes: writer.bytes,
  };
}

interface Reception {
  stream: AsyncIterator<Buffer>;
  /** One for all connections of the download. */
  meter: RateMeter;
  first: EgressResponse;
  deadline: number;
}

/** Reads to the end; when the connection breaks and the server can, goes on from the last byte. */
async function receive(
  { stream, meter, first, deadline }: Reception,
  writer: FileWriter,
  options: DownloadOptions,
): Promise<void> {
  const { clock } = options;
  let current = stream;
  let withoutProgress = 0;
  for (let resumes = 0; ; resumes += 1) {
    const before = writer.bytes;
    try {
      for (let part = await current.next(); !part.done; part = await current.next()) {
        const behind = writer.add(part.value);
        if (behind) await behind;
      }
      return;
    } catch (error) {
      withoutProgress = writer.bytes > before ? 0 : withoutProgress + 1;
      const leftMs = deadline - clock.now();
      if (leftMs <= 0) throw new MediaFailure('media_too_slow', { cause: error, transient: false });
      const again = worthResuming(error, first) && resumes < resumesMax;
      if (!again || withoutProgress > resumesWithoutProgressMax) throw failureOfEgress(error);
      await clock.sleep(500 * (1 + withoutProgress), options.signal);
      const askedAt = clock.now();
      current = fastEnough(await resume(writer, first, leftMs, options), meter, clock);
      meter.spend(clock.now() - askedAt, 0);
    }
  }
}

function worthResuming(error: unknown, { headers }: EgressResponse): boolean {
  return error instanceof EgressFailure && error.transient && validatorOf(headers) !== undefined;
}

/** We ask for the plain bytes. Whoever packs them all the same could make a full disk out of a few. */
function refuseEncoded({ headers, close }: EgressResponse): void {
  const encoding = headers['content-encoding'] ?? '';
  if (/^(identity)?$/i.test(encoding.trim())) return;
  close();
  throw new MediaFailure('media_encoded', { cause: encoding });
}

/** A strong mark of this very version, so that two versions are never glued together. */
function validatorOf(headers: EgressResponse['headers']): string | undefined {
  const { etag } = headers;
  return etag !== undefined && !etag.startsWith('W/') ? etag : headers['last-modified'];
}

async function resume(
  writer: FileWriter,
  first: EgressResponse,
  leftMs: number,
  options: DownloadOptions,
): Promise<AsyncIterable<Buffer>> {
  await writer.flush();
  const from = writer.bytes;
  const answer = await answerOf(first.url, options, leftMs, {
    range: `bytes=${from}-`,
    'if-range': validatorOf(first.headers) ?? '',
  });
  refuseEncoded(answer);
  if (answer.status === 206) {
    const start = /^bytes (\d+)-/.exec(answer.headers['content-range'] ?? '')?.[1];
    if (Number(start) === from) return within(answer.body, options.sizeBytesMax - from);
    answer.close();
    throw new MediaFailure('source_unreachable', { cause: 'the server gave another range than asked for' });
  }
  await writer.restart(); // The server began anew: no ranges, or another version by now.
  return answer.body;
}

async function* within(body: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new MediaFailure('media_too_large');
    yield chunk;
  }
}

async function answerOf(
  url: URL,
  { egress, sizeBytesMax, signal }: DownloadOptions,
  leftMs: number,
  headers: Record<string, string>,
): Promise<EgressResponse> {
  try {
    const answer = await egress.request({
      url: url.href,
      headers: { ...requestHeaders, ...headers },
      limits: { ...limits, totalMs: leftMs, bytesMax: sizeBytesMax },
      ...(signal ? { signal } : {}),
    });
    if (answer.status === 200 || answer.status === 206) return answer;
    answer.close();
    throw failureOfStatus(answer.status, answer.headers['retry-after']);
  } catch (error) {
    throw failureOfEgress(error, 'source_unreachable');
  }
}

async function readHead(stream: AsyncIterator<Buffer>): Promise<{ head: Buffer; ended: boolean }> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    while (bytes < magicBytesWanted) {
      const part = await stream.next();
      if (part.done) return { head: Buffer.concat(parts), ended: true };
      parts.push(part.value);
      bytes += part.value.length;
    }
  } catch (error) {
    throw failureOfEgress(error);
  }
  return { head: Buffer.concat(parts), ended: false };
}

type Kind = DownloadResult['kind'];

/** The bytes decide; name and type only where the bytes say nothing (some media begin with rubbish). */
function kindOf({ headers, url }: EgressResponse, head: Buffer): Kind {
  const type = (headers['content-type'] ?? '').toLowerCase();
  if (head.length === 0) throw new MediaFailure('media_unreadable', { cause: 'an empty answer' });
  if (mediaKind(head)) return 'media';
  const text = head.subarray(0, 512).toString('latin1').trimStart();
  if (/^#EXTM3U/.test(text) || /^(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)?<MPD[\s>]/.test(text))
    return 'manifest';
  if (looksLikeHtml(head) || /^(text\/html|application\/xhtml)/.test(type)) return 'page';
  if (head.subarray(0, 4).toString('hex') === '504b0304') return 'archive';
  const named = acceptedType(`x.${extensionOf(url.pathname) ?? ''}`, type.startsWith('text/') ? '' : type);
  if (named && head.length >= 4096 && !/^[\x20-\x7e\s]{64}/.test(text)) return 'media';
  throw new MediaFailure('media_unreadable', { cause: `neither media nor a page: ${type}` });
}

function kindResult(kind: 'manifest' | 'archive', { url }: EgressResponse): DownloadResult {
  return kind === 'manifest' ? { kind, url } : { kind };
}

async function restOfPage(head: Buffer, stream: AsyncIterator<Buffer>): Promise<string> {
  const parts = [head];
  let bytes = head.length;
  try {
    while (bytes < pageBytesMax) {
      const part = await stream.next();
      if (part.done) break;
      parts.push(part.value);
      bytes += part.value.length;
    }
    await stream.return?.();
  } catch {
    // A page that ends early is still a page.
  }
  return Buffer.concat(parts).toString('utf8');
}
