/** docs/failures.md, made from the table of src/media/media-failure.ts and the words below. */

import { MediaFailure, type MediaFailureCode, mediaFailureCodes } from '../src/media/media-failure.ts';
import { rateLimits as rate } from '../src/media/minimum-rate.ts';
import { unconfinedVersionMin } from '../src/media/page/page-program.ts';
import { ownFailures } from '../src/transcription/failure.ts';

/** When each one happens: for the reader of the table, and for whoever adds a code. */
const when: Record<MediaFailureCode, string> = {
  source_blocked:
    'The link, a redirect, a name or something a page embeds leads to a private, local or otherwise closed address, or to a file.',
  source_unreachable: 'No name, no connection, a broken connection, HTTP 408, 425 or 5xx.',
  source_rate_limited: 'HTTP 429, or a quota page. `Retry-After` is honoured up to a minute.',
  source_unsupported:
    'A service that gives files only to its own programs (Mega, pCloud, WeTransfer, iCloud), or an office document.',
  source_not_accepted:
    'The shape of the link says so: profiles, channels, playlists, stories, searches, folders.',
  source_unresolvable: 'An answer that is no media, and a page in which no media was found.',
  source_resolver_unavailable:
    'yt-dlp is missing or does not start. The job is given back to the daily allowance.',
  source_resolver_outdated:
    'yt-dlp is older than 180 days and a site that it knows gave nothing that it understands. The job is given back to the daily allowance.',
  source_resolver_unconfined: `There is no sandbox on this machine, and yt-dlp is older than ${unconfinedVersionMin}. The job is given back to the daily allowance.`,
  upload_gone: 'The object was deleted from the storage after the job was created.',
  upload_changed:
    'Another file was sent to the signed URL after the job was created. The job reads only the bytes that were verified then.',
  reference_unusable:
    "A reference of OpenAI's `known_speaker_references` is no audio, shorter than two seconds, longer than ten, or has no speech.",
  media_private: 'The site says private.',
  media_login_required: 'HTTP 401, a login page, members or subscribers only.',
  media_age_restricted: 'The site asks for a proof of age.',
  media_geo_restricted: 'HTTP 451, or the site names the region.',
  media_not_found: 'HTTP 404 or 410, removed, expired, a deleted share.',
  media_forbidden: 'HTTP 403 without a better reason.',
  media_live: 'A channel or an event that is on air.',
  media_not_yet_available: 'A premiere or an event that has not begun.',
  media_no_video: 'Posts with images or text only.',
  media_multiple_videos: 'More than one video on the page or in the post.',
  media_drm_protected: 'Every format is encrypted.',
  media_too_large: "More bytes than the plan's file size, stated or received.",
  media_too_slow: `Slower than ${rate.bytesPerSecondMin / 1024} KiB/s for ${rate.patienceMs / 1000} s (what comes faster earns time back), silence for 30 s, or more than an hour in all.`,
  media_encoded: 'gzip, deflate or Brotli around the media: a few bytes could fill the disk.',
  media_too_long: "Longer than the plan's media length, stated or decoded.",
  media_unreadable:
    'Not media by its bytes, the decoder gets no sound out of it, or more than two thirds of its frames are damaged; sample rates under 4 kHz.',
  media_no_audio: 'Pictures only.',
  media_truncated:
    'An MP4 or MOV file without its index, which often stands at the end: nothing can be decoded without it.',
  decode_timeout: 'The decoder gave nothing for a minute.',
  decode_resource_limit: 'More than 1 GiB of address space or an hour of computing for one file.',
};

const whenOwn: Record<keyof typeof ownFailures, string> = {
  internal:
    'One step failed six times over some minutes, or its workers died twenty times. The log line of the job has the step and the error.',
  stalled: 'No step of the job succeeded for 24 hours, while storage, engine or workers were away.',
  modelMissing: 'No worker has the model that the language or the engine of the job needs.',
  recognizerFailed: 'One chunk ended four speech processes: by a crash, by memory or by time.',
};

export function failuresDocument(): string {
  const ownRows = Object.entries(ownFailures).map(([name, { code, sentence, isOurs }]) => {
    const reason = whenOwn[name as keyof typeof ownFailures];
    return `| \`${code}\` | ${sentence} | ${reason} | ${isOurs ? 'no' : 'yes'} |`;
  });
  const rows = mediaFailureCodes.map((code) => {
    const { publicText, transient } = new MediaFailure(code);
    return `| \`${code}\` | ${publicText} | ${when[code]} | ${transient ? 'yes' : 'no'} |`;
  });
  return `<!-- Made by "npm run generate" from src/media/media-failure.ts, src/transcription/failure.ts and scripts/failures-document.ts. -->

# Why a job failed

A job that ends as \`failed\` has one of these sentences in \`error\`. The sentence is for people and says what to do; the
code stands in the log line of the job. Sentences may be reworded; codes stay.

What may pass by itself is tried again, up to four times in all with about 1, 4 and 15 seconds between
(longer when the site asks for it, up to a minute). Everything else fails at once.

| code | \`error\` | when | tried again |
| --- | --- | --- | --- |
${rows.join('\n')}

## What is not about the link or the file

| code | \`error\` | when | counts against the allowance |
| --- | --- | --- | --- |
${ownRows.join('\n')}

Storage, database or remote engine that is away, and a full disk, are waited out and fail no job, unless they stay away for a day.

## Recordings that were cut off

What can be decoded is transcribed, and the job completes: a damaged middle is skipped, and of a recording that ends
early the text of what is there is given. Less than 90 % of the length that the file states counts as cut off; the
worker's log then says how much was decoded, and the job keeps the note. WAV, FLAC, MP3 with a length header, MP4 and
Matroska state a length; Ogg, MPEG-TS, AVI and MP3 without that header do not, and what is there counts as whole.
Only where nothing can be decoded the job fails, with \`media_truncated\` or \`media_unreadable\`.

## What links can become

| link | what happens |
| --- | --- |
| a media file | streamed to a private file; a broken connection is taken up again with a range request when the server marks its versions |
| Google Drive, Dropbox, Nextcloud, ownCloud | the share's own download address; large files of Google Drive are confirmed |
| OneDrive, SharePoint | best effort: what they give without a login |
| Box, pages of video and social sites, HLS and DASH | through yt-dlp, which reaches the network only through Longhand's guard |
| short links (t.co, vm.tiktok.com, fb.watch, …) | followed, then judged again |
| profiles, playlists, stories, folders, live streams | refused by their shape, before anything is started |

One link gives one video. A page with several fails with \`media_multiple_videos\`.

Debian's yt-dlp is years old and opens few live sites. \`longhand doctor\` tells its age; \`longhand tools install yt-dlp\`
brings the current one. The service itself never updates it.
`;
}
