/** From a public link to a local media file: direct media, cloud drives, short links and pages of video sites. */
import { join } from 'node:path';
import type { Egress } from '../egress/egress.ts';
import { judgeUrl } from '../egress/url.ts';
import type { Clock } from '../platform/clock.ts';
import type { Sandbox } from '../platform/process/sandbox.ts';
import { failureOfEgress, failureOfStatus } from './answer-failure.ts';
import { download, requestHeaders } from './download.ts';
import type { DownloadReservation } from './folder-reservation.ts';
import { MediaFailure } from './media-failure.ts';
import { driveAnswer } from './page/drive-answers.ts';
import { type DriveService, driveShape } from './page/drive-shapes.ts';
import { PageProgram } from './page/page-program.ts';
import { PageResolver } from './page/page-resolver.ts';
import { pageShape } from './page/page-shapes.ts';

export interface SourcesOptions {
  egress: Egress;
  clock: Clock;
  /** Where yt-dlp may be, best first: a path, or a name to look for. */
  ytdlp: readonly string[];
  /** Where yt-dlp runs; undefined on a machine that cannot confine programs. */
  sandbox: Sandbox | undefined;
}

export interface AcquireOptions {
  /** A private folder of the job, which the caller removes. */
  directory: string;
  sizeBytesMax: number;
  durationSecondsMax: number;
  /** Throws NoDiskSpace through the acquisition when the disk becomes full. */
  reservation?: DownloadReservation;
  signal?: AbortSignal;
}

export interface AcquiredSource {
  file: string;
  /** What the job is called: from the title, a header or the link. */
  label: string;
}

export interface LinkSources {
  /** One try; throws a MediaFailure, whose `transient` says whether another may help. `signal` ends everything that runs for it. */
  acquireSource(sourceUrl: string, options: AcquireOptions): Promise<AcquiredSource>;
}

/** Expansions of short links, and confirmations of drives, for one link. */
const stepsMax = 4;
const expandLimits = {
  connectMs: 10_000,
  totalMs: 30_000,
  idleMs: 15_000,
  bytesMax: 65_536,
  headerBytesMax: 65_536,
  redirectsMax: 10,
};

export function createSources({ egress, clock, ytdlp, sandbox }: SourcesOptions): LinkSources {
  const pages = new PageResolver({ program: new PageProgram({ ytdlp, sandbox, clock }), egress, clock });
  return {
    acquireSource: (sourceUrl, options) => new Acquisition({ egress, clock, pages }, options).from(sourceUrl),
  };
}

interface AcquisitionDeps {
  egress: Egress;
  clock: Clock;
  pages: PageResolver;
}

class Acquisition {
  readonly #deps: AcquisitionDeps;
  readonly #options: AcquireOptions;
  #files = 0;

  constructor(deps: AcquisitionDeps, options: AcquireOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  async from(text: string, steps = 0): Promise<AcquiredSource> {
    const verdict = judgeUrl(text, { allow: this.#deps.egress.allow });
    if (!verdict.ok) throw new MediaFailure('source_blocked', { cause: verdict.reason });
    const { url } = verdict;
    const page = pageShape(url);
    if (page?.kind === 'refused') throw new MediaFailure(page.code);
    if (page?.kind === 'page') return await this.#page(page.url);
    if (page?.kind === 'short') return await this.#short(page.url, steps);
    const drive = driveShape(url);
    if (drive?.kind === 'refused') throw new MediaFailure(drive.code);
    if (drive?.kind === 'page') return await this.#page(drive.url);
    if (drive?.kind === 'drive') return await this.#drive(drive.service, drive.url, url);
    return await this.#direct(url, steps);
  }

  async #direct(url: URL, steps: number): Promise<AcquiredSource> {
    const file = this.#newFile();
    const result = await download(url, { ...this.#deps, ...this.#options, file });
    if (result.kind === 'media') return { file, label: result.label };
    if (result.kind === 'archive') throw new MediaFailure('media_unreadable', { cause: 'an archive' });
    // A redirect may have led to a site whose links we know: its shapes decide before the page resolver starts.
    const known = result.url.href !== url.href && (pageShape(result.url) ?? driveShape(result.url));
    if (known && steps < stepsMax) return await this.from(result.url.href, steps + 1);
    return await this.#page(result.url);
  }

  async #drive(service: DriveService, direct: URL, shared: URL): Promise<AcquiredSource> {
    let next = direct;
    for (let step = 0; step < stepsMax; step += 1) {
      const file = this.#newFile();
      const result = await download(next, { ...this.#deps, ...this.#options, file });
      if (result.kind === 'media') return { file, label: result.label };
      if (result.kind === 'archive')
        throw new MediaFailure('source_not_accepted', { cause: `${service}: a folder` });
      if (result.kind === 'manifest') return await this.#page(result.url);
      // Any site may have links that look like a share of its own cloud: then the page itself is meant.
      if (service === 'nextcloud' && !/nextcloud|owncloud/i.test(result.html))
        return await this.#page(shared);
      next = driveAnswer(service, result);
    }
    throw new MediaFailure('source_unresolvable', { cause: `${service} kept asking for confirmation` });
  }

  async #short(url: URL, steps: number): Promise<AcquiredSource> {
    if (steps >= stepsMax)
      throw new MediaFailure('source_unresolvable', { cause: 'short links in a circle' });
    const { signal } = this.#options;
    const request = {
      url: url.href,
      headers: requestHeaders,
      limits: expandLimits,
      ...(signal ? { signal } : {}),
    };
    const answer = await this.#deps.egress.request(request).catch((error) => {
      throw failureOfEgress(error, 'source_unreachable');
    });
    answer.close();
    if (answer.status >= 400) throw failureOfStatus(answer.status, answer.headers['retry-after']);
    if (/login|consent|checkpoint/.test(answer.url.pathname)) throw new MediaFailure('media_login_required');
    if (answer.url.href === url.href)
      throw new MediaFailure('media_not_found', { cause: 'it leads nowhere' });
    return await this.from(answer.url.href, steps + 1);
  }

  async #page(url: URL): Promise<AcquiredSource> {
    return await this.#deps.pages.fetch(url, this.#options);
  }

  #newFile(): string {
    this.#files += 1;
    return join(this.#options.directory, `media-${this.#files}`);
  }
}
