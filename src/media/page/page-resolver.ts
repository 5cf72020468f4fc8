/** Public pages of video sites, through yt-dlp: first a description of the page, then its one video. */
import { lstat, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Egress } from '../../egress/egress.ts';
import { type EgressProxy, startEgressProxy } from '../../egress/proxy.ts';
import { judgeUrl } from '../../egress/url.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FinishedProcess } from '../../platform/process/subprocess.ts';
import { type DownloadReservation, watchedFolder } from '../folder-reservation.ts';
import { cleanLabel, labelFromUrl } from '../label.ts';
import { MediaFailure } from '../media-failure.ts';
import { RateMeter } from '../minimum-rate.ts';
import { failureOfRun, onlyImagesFailed, onlyVideo, type PageInfo, titleOf } from './page-failure.ts';
import { scrubbedInfo } from './page-info-scrub.ts';
import type { PageProgram } from './page-program.ts';

export interface PageResolverOptions {
  program: PageProgram;
  egress: Egress;
  clock: Clock;
}

export interface PageTask {
  /** A private folder of the job. */
  directory: string;
  sizeBytesMax: number;
  durationSecondsMax: number;
  reservation?: DownloadReservation;
  signal?: AbortSignal;
}

/** A task with what was opened for it. */
interface OpenTask extends PageTask {
  /** What the program sees of the job's folder. */
  folder: string;
  proxy: EgressProxy;
}

const describeTimeoutMs = 180_000;
const downloadTimeoutMs = 3_600_000;
/** Pages, scripts and segment overheads beside the media itself. */
const overheadBytes = 64 * 1024 * 1024;

/** Plain files first, then segments; a picture only where sound does not come alone, and then a small one. */
const formats = [
  'ba[protocol^=http]',
  'ba[protocol=m3u8_native]',
  'b[height<=?480][protocol^=http]',
  'b[height<=?480][protocol=m3u8_native]',
  'b[protocol^=http]',
  'b[protocol=m3u8_native]',
].join('/');

export class PageResolver {
  readonly #program: PageProgram;
  readonly #egress: Egress;
  readonly #clock: Clock;

  constructor({ program, egress, clock }: PageResolverOptions) {
    this.#program = program;
    this.#egress = egress;
    this.#clock = clock;
  }

  /** Brings the one video of a page into the folder. Throws a MediaFailure with the page's own reason otherwise. */
  async fetch(url: URL, task: PageTask): Promise<{ file: string; label: string }> {
    await this.#program.version();
    const folder = join(task.directory, 'page');
    await mkdir(folder, { mode: 0o700 });
    // The program keeps a page in memory, so a page may be as large as pages are, not as media are.
    const video = await this.#through(overheadBytes, { ...task, folder }, (open) => this.#video(url, open));
    const mediaBytesMax = task.sizeBytesMax + overheadBytes;
    const file = await this.#through(mediaBytesMax, { ...task, folder }, (open) =>
      this.#download(video, open),
    );
    return { file, label: cleanLabel(titleOf(video)) || labelFromUrl(url) };
  }

  /** With a proxy that lets so many bytes through. */
  async #through<Result>(
    bytesMax: number,
    task: Omit<OpenTask, 'proxy'>,
    work: (open: OpenTask) => Promise<Result>,
  ): Promise<Result> {
    await using proxy = await startEgressProxy({
      egress: this.#egress,
      bytesMax,
      ...(this.#program.isConfined ? { socketFolder: task.directory } : {}),
    });
    return await work({ ...task, proxy });
  }

  /** The one that the page is about. */
  async #video(url: URL, task: OpenTask): Promise<PageInfo> {
    const video = onlyVideo(await this.#describe(url, task), task.durationSecondsMax);
    if (!video._type?.startsWith('url')) return video;
    // A page that embeds one video of another site: look at that one.
    const verdict = judgeUrl(video.url ?? '', { allow: this.#egress.allow });
    if (!verdict.ok) throw new MediaFailure('source_blocked', { cause: verdict.reason });
    return onlyVideo(await this.#describe(verdict.url, task), task.durationSecondsMax);
  }

  async #describe(url: URL, task: OpenTask): Promise<PageInfo> {
    const plain = new URL(url);
    plain.hash = '';
    const args = ['--flat-playlist', '-J', '--', plain.href];
    const limits = { timeoutMs: describeTimeoutMs, fileBytesMax: overheadBytes };
    const run = await this.#program.run(args, { ...task, ...limits, signal: task.signal });
    const info = parsed(run.stdout);
    if (run.code !== 0 && !(info?.entries && onlyImagesFailed(run.stderr)))
      throw await this.#failure(run, task.proxy);
    if (!info) throw new MediaFailure('source_unresolvable', { cause: 'the description is no JSON object' });
    return info;
  }

  async #download(video: PageInfo, task: OpenTask): Promise<string> {
    const media = join(task.folder, 'media');
    const infoFile = join(task.folder, 'info.json');
    await mkdir(media, { mode: 0o700 });
    await writeFile(infoFile, JSON.stringify(scrubbedInfo(video)), { mode: 0o600, flag: 'wx' });
    const args = [
      ...['-f', formats, '--max-filesize', String(task.sizeBytesMax), '-o', join(media, 'media.%(ext)s')],
      ...['--load-info-json', infoFile],
    ];
    const limits = { timeoutMs: downloadTimeoutMs, fileBytesMax: task.sizeBytesMax };
    using pace = watchedPace(task.proxy, this.#clock);
    using disk = task.reservation && (await watchedFolder(task.reservation, media, this.#clock));
    const signal = AbortSignal.any(
      [pace.signal, disk?.signal, task.signal].filter((one) => one !== undefined),
    );
    const run = await this.#program.run(args, { ...task, ...limits, signal });
    const [name, ...others] = await readdir(media);
    // A refusal by size or filter also ends with code 0, only without a file.
    if (run.code !== 0 || name === undefined || others.length > 0) throw await this.#failure(run, task.proxy);
    return await taken(join(media, name), task.directory);
  }

  async #failure(run: FinishedProcess, { denials, exceeded }: EgressProxy): Promise<MediaFailure> {
    const { ageDays } = await this.#program.version();
    const said = `${run.stdout.subarray(-4_000).toString('utf8')}\n${run.stderr.slice(-8_000)}`;
    return failureOfRun({ said, denials, exceeded, ageDays });
  }
}

const paceEveryMs = 1_000;

/** A signal that aborts with a MediaFailure when too few bytes pass the proxy. */
function watchedPace(proxy: EgressProxy, clock: Clock): Disposable & { signal: AbortSignal } {
  const stop = new AbortController();
  const meter = new RateMeter();
  let bytes = proxy.bytes;
  const end = clock.every(paceEveryMs, () => {
    try {
      meter.spend(paceEveryMs, proxy.bytes - bytes);
      bytes = proxy.bytes;
    } catch (error) {
      stop.abort(error);
    }
  });
  return { signal: stop.signal, [Symbol.dispose]: end };
}

/** Out of the folder that the program could write in. A link in place of a file would lead us to a file of our own. */
async function taken(path: string, directory: string): Promise<string> {
  const found = await lstat(path);
  if (!found.isFile() || found.nlink !== 1)
    throw new MediaFailure('source_unresolvable', { cause: 'something else than a file was downloaded' });
  const file = join(directory, `page-media${extname(path).replace(/[^.\w]/g, '')}`);
  await rename(path, file);
  return file;
}

function parsed(stdout: Buffer): PageInfo | undefined {
  try {
    const value: unknown = JSON.parse(stdout.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as PageInfo) : undefined;
  } catch {
    return undefined;
  }
}
