/**
 * Public pages of video sites, through yt-dlp: always a subprocess, always through the egress proxy, never updating
 * itself, never running another program, never reading a configuration or cookies of the machine.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Egress } from '../egress/egress.ts';
import { type EgressProxy, startEgressProxy } from '../egress/proxy.ts';
import { judgeUrl } from '../egress/url.ts';
import type { Clock } from '../platform/clock.ts';
import { type FinishedProcess, runProcess } from '../platform/subprocess.ts';
import { cleanLabel, labelFromUrl } from './label.ts';
import { MediaFailure } from './media-failure.ts';
import { failureOfRun, onlyVideo, type PageInfo, titleOf } from './page-failure.ts';
import { scrubbedInfo } from './page-info-scrub.ts';

export interface PageResolverOptions {
  ytdlp: string;
  egress: Egress;
  clock: Clock;
}

export interface PageTask {
  /** A private folder of the job. */
  directory: string;
  sizeBytesMax: number;
  durationSecondsMax: number;
  signal?: AbortSignal;
}

export interface ResolverVersion {
  version: string;
  ageDays: number | undefined;
}

const describeTimeoutMs = 180_000;
const downloadTimeoutMs = 3_600_000;
const outputBytesMax = 16 * 1024 * 1024;
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

/** Each with its value, if it takes one. Those that the installed version does not know are left out. */
const flags: readonly (readonly string[])[] = [
  ...[['--no-plugin-dirs'], ['--no-cache-dir'], ['--no-playlist'], ['--no-exec'], ['--no-cookies']],
  ...[['--no-cookies-from-browser'], ['--no-remote-components'], ['--no-netrc'], ['--no-update']],
  ...[
    ['--socket-timeout', '10'],
    ['--retries', '2'],
    ['--fragment-retries', '2'],
    ['--extractor-retries', '1'],
  ],
  ...[
    ['--no-progress'],
    ['--no-warnings'],
    ['--no-part'],
    ['--no-mtime'],
    ['--abort-on-unavailable-fragments'],
  ],
  ...[
    ['--fixup', 'never'],
    ['--downloader', 'native'],
    ['--ffmpeg-location', '/nonexistent'],
  ],
  ...[['--no-write-subs'], ['--no-write-thumbnail'], ['--no-write-comments'], ['--no-colors']],
];

export class PageResolver {
  readonly #options: PageResolverOptions;
  #known: Promise<{ flags: ReadonlySet<string>; version: ResolverVersion }> | undefined;

  constructor(options: PageResolverOptions) {
    this.#options = options;
  }

  /** Undefined when yt-dlp cannot be started. */
  async version(): Promise<ResolverVersion | undefined> {
    try {
      return (await this.#knowledge()).version;
    } catch {
      return undefined;
    }
  }

  /** Brings the one video of a page into the folder. Throws a MediaFailure with the page's own reason otherwise. */
  async fetch(url: URL, task: PageTask): Promise<{ file: string; label: string }> {
    await this.#knowledge();
    const bytesMax = task.sizeBytesMax + overheadBytes;
    await using proxy = await startEgressProxy({ egress: this.#options.egress, bytesMax });
    let info = await this.#describe(url, proxy, task);
    let video = onlyVideo(info, task.durationSecondsMax);
    if (video._type?.startsWith('url')) {
      // A page that embeds one video of another site: look at that one.
      const verdict = judgeUrl(video.url ?? '', { allow: this.#options.egress.allow });
      if (!verdict.ok) throw new MediaFailure('source_blocked', { cause: verdict.reason });
      info = await this.#describe(verdict.url, proxy, task);
      video = onlyVideo(info, task.durationSecondsMax);
    }
    const file = await this.#download(video, proxy, task);
    return { file, label: cleanLabel(titleOf(video)) || labelFromUrl(url) };
  }

  async #describe(url: URL, proxy: EgressProxy, task: PageTask): Promise<PageInfo> {
    const plain = new URL(url);
    plain.hash = '';
    const args = ['--flat-playlist', '-J', '--', plain.href];
    const run = await this.#run(args, proxy, task, describeTimeoutMs, 0);
    if (run.code !== 0) throw await this.#failure(run, proxy);
    const info = parsed(run.stdout);
    if (!info) throw new MediaFailure('source_unresolvable', { cause: 'the description is no JSON object' });
    return info;
  }

  async #download(video: PageInfo, proxy: EgressProxy, task: PageTask): Promise<string> {
    const directory = join(task.directory, 'page');
    const infoFile = join(task.directory, 'page.json');
    await mkdir(directory, { mode: 0o700 });
    await writeFile(infoFile, JSON.stringify(scrubbedInfo(video)), { mode: 0o600 });
    const args = [
      ...['-f', formats, '--max-filesize', String(task.sizeBytesMax), '-o', join(directory, 'media.%(ext)s')],
      ...['--load-info-json', infoFile],
    ];
    const run = await this.#run(args, proxy, task, downloadTimeoutMs, task.sizeBytesMax);
    const [name, ...others] = await readdir(directory);
    // A refusal by size or filter also ends with code 0, only without a file.
    if (run.code !== 0 || name === undefined || others.length > 0) throw await this.#failure(run, proxy);
    return join(directory, name);
  }

  async #run(
    args: readonly string[],
    proxy: EgressProxy,
    task: PageTask,
    timeoutMs: number,
    fileBytes: number,
  ): Promise<FinishedProcess> {
    const { ytdlp, clock } = this.#options;
    const known = await this.#knowledge();
    const timeout = clock.timeout(timeoutMs);
    const wanted = [...flags, ['--js-runtimes', `node:${process.execPath}`]];
    const run = await runProcess({
      command: ytdlp,
      args: [
        ...['--ignore-config', '--config-locations', '-'],
        ...wanted.filter(([name = '']) => known.flags.has(name)).flat(),
        ...args,
      ],
      input: `--proxy ${proxy.url}\n`,
      cwd: task.directory,
      env: {
        HOME: task.directory,
        TMPDIR: task.directory,
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONIOENCODING: 'utf-8',
      },
      limits: { memoryBytes: 4_294_967_296, cpuSeconds: 1_800, openFiles: 256, fileBytes },
      niceness: 10,
      signal: task.signal ? AbortSignal.any([task.signal, timeout]) : timeout,
      outputBytesMax,
    });
    task.signal?.throwIfAborted();
    // Not tried again: what took this long would keep a worker as long once more.
    if (timeout.aborted)
      throw new MediaFailure('media_too_slow', {
        cause: 'the page resolver took too long',
        transient: false,
      });
    return run;
  }

  async #failure(run: FinishedProcess, { denials, exceeded }: EgressProxy): Promise<MediaFailure> {
    const { version } = await this.#knowledge();
    const said = `${run.stdout.subarray(-4_000).toString('utf8')}\n${run.stderr.slice(-8_000)}`;
    return failureOfRun({ said, denials, exceeded, ageDays: version.ageDays });
  }

  /** Asked once: which flags this version has, and how old it is. A missing program is asked for again next time. */
  #knowledge() {
    this.#known ??= this.#ask().catch((error) => {
      this.#known = undefined;
      throw error;
    });
    return this.#known;
  }

  async #ask() {
    const { ytdlp, clock } = this.#options;
    const ask = (flag: string) =>
      runProcess({
        command: ytdlp,
        args: ['--ignore-config', flag],
        signal: clock.timeout(60_000),
        outputBytesMax,
        limits: { memoryBytes: 4_294_967_296, cpuSeconds: 60 },
      }).catch((cause) => {
        throw new MediaFailure('source_resolver_unavailable', { cause });
      });
    const [help, version] = await Promise.all([ask('--help'), ask('--version')]);
    const cause = help.stderr.slice(-500) || `exit ${help.code}`;
    if (help.code !== 0 || version.code !== 0)
      throw new MediaFailure('source_resolver_unavailable', { cause });
    const text = version.stdout.toString('utf8').trim();
    return {
      flags: new Set(help.stdout.toString('utf8').match(/--[a-z][a-z-]+/g)),
      version: { version: text, ageDays: ageDays(text, clock.now()) },
    };
  }
}

function parsed(stdout: Buffer): PageInfo | undefined {
  try {
    const value: unknown = JSON.parse(stdout.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as PageInfo) : undefined;
  } catch {
    return undefined;
  }
}

/** Versions are dates: 2026.10.26, perhaps with a build number. */
function ageDays(version: string, nowMs: number): number | undefined {
  const [, year, month, day] = /^(\d{4})\.(\d\d?)\.(\d\d?)/.exec(version) ?? [];
  if (!year) return undefined;
  return Math.floor((nowMs - Date.UTC(Number(year), Number(month) - 1, Number(day))) / 86_400_000);
}
