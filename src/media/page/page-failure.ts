/** What the page resolver's words and findings mean for the job. Pure. */
import type { Denial } from '../../egress/proxy.ts';
import { MediaFailure, type MediaFailureCode } from '../media-failure.ts';

/** First match wins, so the particular comes before the general. */
const words: readonly (readonly [RegExp, MediaFailureCode])[] = [
  [/file:\/\/ (URLs|scheme)/i, 'source_blocked'],
  [/DRM|PlayReady|Widevine|FairPlay/i, 'media_drm_protected'],
  [
    /confirm your age|age[- ]restricted|inappropriate for some users|age verification/i,
    'media_age_restricted',
  ],
  [
    /not available (in|from) your (country|location|region)|geo[- ]?restrict|blocked it in your country|not made this video available in your country/i,
    'media_geo_restricted',
  ],
  [/HTTP Error 429|Too Many Requests|rate[- ]limit/i, 'source_rate_limited'],
  [
    /premieres? in|will begin in|live event will|is not yet available|hasn't started|upcoming/i,
    'media_not_yet_available',
  ],
  [/is (currently )?live|live stream recording is not available|currently live/i, 'media_live'],
  [
    /private (video|account)|video is private|is private\b|protected tweet|protected account/i,
    'media_private',
  ],
  [
    /sign in|log ?in\b|logged in|login required|cookies|members[- ]only|requires? (payment|purchase|authentication|subscription)|subscribers|empty media response/i,
    'media_login_required',
  ],
  [
    /playlist does not exist|there are no videos|no video (could be found|formats found)|no media found/i,
    'media_no_video',
  ],
  [/this (post|tweet) (has|does not contain)? ?(no|a) video|There'?s no video/i, 'media_no_video'],
  [
    /video (is )?unavailable|has been removed|no longer available|been terminated|does not exist|doesn'?t exist|HTTP Error 40[4]|HTTP Error 410|not found|was deleted/i,
    'media_not_found',
  ],
  [/HTTP Error 401/i, 'media_login_required'],
  [/HTTP Error 403|Forbidden/i, 'media_forbidden'],
  [
    /HTTP Error 5\d\d|Remote end closed|Connection (reset|refused|aborted)|IncompleteRead/i,
    'source_unreachable',
  ],
  [
    /Name or service not known|getaddrinfo|Temporary failure in name resolution|Network is unreachable/i,
    'source_unreachable',
  ],
  [/Tunnel connection failed: (502|504)|urlopen error|CERTIFICATE_VERIFY_FAILED/i, 'source_unreachable'],
  [/timed? ?out/i, 'media_too_slow'],
  [/larger than max-filesize|File too large/i, 'media_too_large'],
  [/Unsupported URL|No suitable (extractor|InfoExtractor)|is not a valid URL/i, 'source_unresolvable'],
];

/** Words by which a resolver says that a site has changed since it was made. */
const brokenExtractor =
  /Unable to extract|please report this issue|Confirm you are on the latest version|signature extraction failed|nsig|Failed to parse JSON/i;

export interface PageRun {
  /** Standard error and standard output together. */
  said: string;
  denials: readonly Denial[];
  /** The proxy's byte limit was reached. */
  exceeded: boolean;
  /** How old the installed resolver is, when it says so. */
  ageDays: number | undefined;
}

/** Sites change often enough that a resolver of half a year does not open the large ones. */
export const resolverAgeDaysMax = 180;

/** The proxy's denials come first: the resolver shows them as an ordinary HTTP 403. */
export function failureOfRun({ said, denials, exceeded, ageDays }: PageRun): MediaFailure {
  const cause = said.slice(-1_000);
  const [denial] = denials;
  if (denial)
    return new MediaFailure('source_blocked', { cause: `${denial.host}:${denial.port}: ${denial.reason}` });
  if (exceeded) return new MediaFailure('media_too_large', { cause });
  const code = words.find(([pattern]) => pattern.test(said))?.[1];
  if (isProbablyAge(said, code, ageDays)) {
    return new MediaFailure('source_resolver_outdated', { cause: `${ageDays} days old: ${cause}` });
  }
  return new MediaFailure(code ?? 'source_unresolvable', { cause });
}

/** What sites answer to a resolver that no longer speaks their language. */
const doubtful: ReadonlySet<MediaFailureCode | undefined> = new Set<MediaFailureCode | undefined>([
  ...([
    undefined,
    'source_unresolvable',
    'media_login_required',
    'media_forbidden',
    'media_no_video',
  ] as const),
]);

function isProbablyAge(
  said: string,
  code: MediaFailureCode | undefined,
  ageDays: number | undefined,
): boolean {
  if (ageDays === undefined || ageDays <= resolverAgeDaysMax || !doubtful.has(code)) return false;
  // A login that a site asks everybody for is no sign of age; a page of no known site never changes its format.
  const knownSite = /^ERROR: \[(?!generic|html5)/im.test(said);
  return brokenExtractor.test(said) || (knownSite && code !== 'media_login_required');
}

/** The part of the resolver's description of a page that decides. */
export interface PageInfo {
  _type?: string;
  title?: string | null;
  extractor?: string;
  duration?: number | null;
  is_live?: boolean | null;
  live_status?: string | null;
  availability?: string | null;
  age_limit?: number | null;
  filesize?: number | null;
  ext?: string;
  formats?: { has_drm?: boolean | string; vcodec?: string; acodec?: string }[];
  entries?: (PageInfo | null)[];
  url?: string;
  ie_key?: string;
}

/**
 * Images of a post come as entries that cannot be downloaded: the run then counts as failed although it described the
 * rest. Whether images are all that failed.
 */
export function onlyImagesFailed(stderr: string): boolean {
  const errors = stderr.split('\n').filter((line) => line.startsWith('ERROR:'));
  return errors.length > 0 && errors.every((line) => /No video formats found/i.test(line));
}

/** The one video that the page is about, images beside it aside. Throws when there is none, or several, or it cannot be had. */
export function onlyVideo(info: PageInfo, durationSecondsMax: number): PageInfo {
  if (info._type === 'playlist' || info._type === 'multi_video') {
    const videos = (info.entries ?? []).filter((entry) => entry !== null && !isImage(entry));
    const [first, ...others] = videos as PageInfo[];
    if (!first) throw new MediaFailure('media_no_video');
    if (others.length > 0)
      throw new MediaFailure('media_multiple_videos', { cause: `${others.length + 1} entries` });
    return onlyVideo({ ...first, title: first.title ?? info.title ?? '' }, durationSecondsMax);
  }
  if (info.live_status === 'is_upcoming') throw new MediaFailure('media_not_yet_available');
  if (info.is_live || info.live_status === 'is_live') throw new MediaFailure('media_live');
  if (info.availability === 'private') throw new MediaFailure('media_private');
  if (info.formats?.length && info.formats.every(({ has_drm }) => has_drm === true)) {
    throw new MediaFailure('media_drm_protected');
  }
  if ((info.duration ?? 0) > durationSecondsMax) throw new MediaFailure('media_too_long');
  if (isImage(info)) throw new MediaFailure('media_no_video');
  return info;
}

function isImage({ ext, formats }: PageInfo): boolean {
  return formats?.length === 0 || /^(jpe?g|png|gif|webp|avif|heic)$/.test(ext ?? '');
}

/** Videos that stand in a page without a name of their own come as "Title of the page (1)". */
export function titleOf({ title, extractor = '' }: PageInfo): string {
  if (typeof title !== 'string') return ''; // Whatever a page made the resolver say.
  return /^(generic|html5)/i.test(extractor) ? title.replace(/ \(1\)$/, '') : title;
}
