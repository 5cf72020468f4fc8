/**
 * Why a source did not become audio: one table from a stable code (for logs and metrics) to the sentence that the
 * job shows, and whether trying again may help. docs/failures.md explains each to users.
 */
const failureTable = {
  source_blocked: [
    'permanent',
    'This link leads to an address that is not public. Use a public link, or upload the file.',
  ],
  source_unreachable: [
    'transient',
    'The server of this link could not be reached. Check the link and try again later, or upload the file.',
  ],
  source_rate_limited: [
    'transient',
    'The site of this link is refusing requests for now. Try again later, or upload the file.',
  ],
  source_unsupported: [
    'permanent',
    'Links of this kind are not supported. Use a link to one video or file, or upload the file.',
  ],
  source_not_accepted: [
    'permanent',
    'This link is a profile, playlist, story or folder. Use a link to one video or file.',
  ],
  source_unresolvable: [
    'permanent',
    'No media could be found behind this link. Check that it opens in a private browser window, or upload the file.',
  ],
  source_resolver_unavailable: [
    'permanent',
    'This server cannot open video pages at the moment. Ask its operator to install yt-dlp (longhand doctor tells how), use a direct media link, or upload the file.',
  ],
  source_resolver_outdated: [
    'permanent',
    'The program by which this server opens video pages is probably too old for this site. Ask its operator to renew yt-dlp ("longhand tools install yt-dlp"), use a direct media link, or upload the file.',
  ],
  source_resolver_unconfined: [
    'permanent',
    'This server does not open video pages, because it has no sandbox to do so safely. Ask its operator to install one (longhand doctor tells how), use a direct media link, or upload the file.',
  ],

  upload_gone: ['permanent', 'The uploaded file is no longer there. Upload it again and create a new job.'],
  upload_changed: [
    'permanent',
    'The uploaded file was replaced after this job was created, so it was not transcribed. Upload it again and create a new job.',
  ],
  reference_unusable: [
    'permanent',
    'The recording of a known speaker cannot be used. Send two to ten seconds in which that person alone speaks.',
  ],
  media_private: ['permanent', 'This media is private. Make it public, or upload the file.'],
  media_login_required: [
    'permanent',
    'This media opens only after signing in. Use a link that needs no login, or upload the file.',
  ],
  media_age_restricted: [
    'permanent',
    'This media is restricted by age and needs a login. Upload the file instead.',
  ],
  media_geo_restricted: [
    'permanent',
    'This media is not available in the region of this server. Upload the file instead.',
  ],
  media_not_found: [
    'permanent',
    'There is no media behind this link: it was removed, has expired or never existed. Check the link.',
  ],
  media_forbidden: [
    'permanent',
    'The server of this link refuses access to the media. Make it public, or upload the file.',
  ],
  media_live: ['permanent', 'This is a live stream. Try again with the recording when it has ended.'],
  media_not_yet_available: [
    'permanent',
    'This media has not been published yet. Try again after it has started.',
  ],
  media_no_video: ['permanent', 'This post has no video or audio. Use a link to a post with one video.'],
  media_multiple_videos: [
    'permanent',
    'There are several videos behind this link. Use a link to one of them.',
  ],
  media_drm_protected: ['permanent', 'This media is protected by DRM and cannot be transcribed.'],
  media_too_large: [
    'permanent',
    'The media is larger than the plan of this account allows. Use a smaller or compressed version.',
  ],
  media_too_slow: [
    'transient',
    'The server of this link sends the media too slowly. Try again later, or upload the file.',
  ],
  media_encoded: [
    'permanent',
    'The server of this link sends the media packed (Content-Encoding). Let it send the file as it is, or upload the file.',
  ],
  media_too_long: [
    'permanent',
    'The media is longer than can be transcribed in one job. Split it and send the parts.',
  ],
  media_unreadable: [
    'permanent',
    'The file could not be read as audio or video: it is damaged or of another kind. Convert it to a common format such as MP3 or MP4 and send it again.',
  ],
  media_no_audio: ['permanent', 'The file has no audio track. Send a file with sound.'],
  media_truncated: [
    'permanent',
    'The file is incomplete: it was cut off, and nothing of what is there can be decoded. Send the whole file again.',
  ],

  decode_timeout: [
    'permanent',
    'Reading the media took too long. Try again, or convert it to a common format such as MP3 or MP4.',
  ],
  decode_resource_limit: [
    'permanent',
    'Reading the media needs more memory or computing time than allowed. Convert it to a common format such as MP3 or MP4 and send it again.',
  ],
} as const satisfies Record<string, readonly ['permanent' | 'transient', string]>;

export type MediaFailureCode = keyof typeof failureTable;

export const mediaFailureCodes = Object.keys(failureTable) as MediaFailureCode[];

export interface MediaFailureOptions {
  /** The private reason, for the log only. */
  cause?: unknown;
  /** Overrides the table when this occurrence is known to be (or not to be) worth another try. */
  transient?: boolean;
  /** How long the other side asked us to wait. */
  retryAfterMs?: number;
}

export class MediaFailure extends Error {
  override readonly name = 'MediaFailure';
  readonly code: MediaFailureCode;
  /** The sentence for the job's `error`: what happened and what the user can do. */
  readonly publicText: string;
  /** Whether another try within the job may help. */
  readonly transient: boolean;
  readonly retryAfterMs: number | undefined;
  /** One line for the log: the private cause, cut. */
  readonly reason: string;
  /** The operator's to mend, not the user's: such a job does not count against the allowance. */
  readonly isOurs: boolean;

  constructor(code: MediaFailureCode, options: MediaFailureOptions = {}) {
    const [kind, sentence] = failureTable[code];
    super(`${code}: ${sentence}`, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.publicText = sentence;
    this.transient = options.transient ?? kind === 'transient';
    this.retryAfterMs = options.retryAfterMs;
    this.reason = reasonOf(options.cause);
    this.isOurs = code.startsWith('source_resolver_');
  }
}

const reasonCharactersMax = 500;

function reasonOf(cause: unknown): string {
  if (cause === undefined) return '';
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.replace(/\s+/g, ' ').trim().slice(-reasonCharactersMax);
}
