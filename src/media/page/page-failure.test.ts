import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOfStatus } from '../answer-failure.ts';
import { cleanLabel, labelFromAnswer, labelFromUrl } from '../label.ts';
import { MediaFailure, type MediaFailureCode } from '../media-failure.ts';
import { failureOfRun, onlyImagesFailed, onlyVideo, type PageInfo } from './page-failure.ts';

const quiet = { denials: [], exceeded: false, ageDays: 10 };

const sayings: readonly (readonly [string, MediaFailureCode])[] = [
  [
    'ERROR: [youtube] abc: Private video. Sign in if you have been granted access to this video',
    'media_private',
  ],
  ['ERROR: [youtube] abc: Video unavailable. This video has been removed by the uploader', 'media_not_found'],
  ['ERROR: [youtube] abc: Video unavailable', 'media_not_found'],
  [
    'ERROR: [youtube] abc: Sign in to confirm your age. This video may be inappropriate',
    'media_age_restricted',
  ],
  ['ERROR: [youtube] abc: Sign in to confirm you’re not a bot. Use --cookies', 'media_login_required'],
  [
    'ERROR: [youtube] abc: The uploader has not made this video available in your country',
    'media_geo_restricted',
  ],
  ['ERROR: [youtube] abc: Premieres in 3 days', 'media_not_yet_available'],
  ['ERROR: [youtube] abc: This live event will begin in 2 hours.', 'media_not_yet_available'],
  ['ERROR: [youtube] abc: Join this channel to get access to members-only content', 'media_login_required'],
  ['ERROR: [vimeo] 1: The video is DRM protected', 'media_drm_protected'],
  [
    'ERROR: [Instagram] abc: Restricted Video: You must be 18 years old; age-restricted',
    'media_age_restricted',
  ],
  [
    'ERROR: [Instagram] abc: Requested content is not available, rate-limit reached or login required',
    'source_rate_limited',
  ],
  ['ERROR: [Instagram] abc: There is no video in this post. No video formats found', 'media_no_video'],
  ['ERROR: [twitter] 1: No video could be found in this tweet', 'media_no_video'],
  ['ERROR: [twitch] x: The channel is currently live', 'media_live'],
  ['ERROR: Unable to download webpage: HTTP Error 404: Not Found', 'media_not_found'],
  ['ERROR: Unable to download webpage: HTTP Error 403: Forbidden', 'media_forbidden'],
  ['ERROR: Unable to download webpage: HTTP Error 429: Too Many Requests', 'source_rate_limited'],
  ['ERROR: Unable to download webpage: HTTP Error 503: Service Unavailable', 'source_unreachable'],
  ['ERROR: Unable to download webpage: The read operation timed out', 'media_too_slow'],
  ['File is larger than max-filesize (99 bytes > 10 bytes). Aborting.', 'media_too_large'],
  ['ERROR: Unsupported URL: https://example.com/', 'source_unresolvable'],
  ['ERROR: something nobody has seen before', 'source_unresolvable'],
];
for (const [text, code] of sayings) {
  test(`the page resolver's "${text.slice(0, 70)}" means ${code}`, () => {
    assert.equal(failureOfRun({ ...quiet, said: text }).code, code);
  });
}

test('a denial of our own proxy counts before anything the page resolver says', () => {
  const denials = [{ host: 'inside.example', port: 443, reason: 'private network' }];
  const failure = failureOfRun({ ...quiet, denials, said: 'HTTP Error 403: Forbidden' });
  assert.equal(failure.code, 'source_blocked');
  assert.doesNotMatch(failure.publicText, /inside/);
});

const sayingsOfOld: readonly (readonly [string, MediaFailureCode])[] = [
  ['ERROR: [x] Unable to extract title; please report this issue on github', 'source_resolver_outdated'],
  ['ERROR: [youtube] abc: nsig extraction failed. Sign in to confirm', 'source_resolver_outdated'],
  ['ERROR: [youtube] abc: Requested format is not available', 'source_resolver_outdated'],
  ['ERROR: [youtube] abc: HTTP Error 403: Forbidden', 'source_resolver_outdated'],
  ['ERROR: [generic] page: HTTP Error 403: Forbidden', 'media_forbidden'],
  ['ERROR: [generic] Unsupported URL: https://example.com/', 'source_unresolvable'],
  ['ERROR: [Instagram] abc: login required', 'media_login_required'],
  ['ERROR: [youtube] abc: Video unavailable. This video has been removed', 'media_not_found'],
];
for (const [text, code] of sayingsOfOld) {
  test(`an old page resolver's "${text.slice(0, 70)}" means ${code}`, () => {
    const failure = failureOfRun({ ...quiet, said: text, ageDays: 400 });
    assert.equal(failure.code, code);
    assert.equal(failure.isOurs, code === 'source_resolver_outdated');
    assert.notEqual(failureOfRun({ ...quiet, said: text, ageDays: 5 }).code, 'source_resolver_outdated');
  });
}

const descriptions: readonly (readonly [string, PageInfo, MediaFailureCode | 'fine'])[] = [
  ['one video', { title: 'a', duration: 10 }, 'fine'],
  ['a list of one', { _type: 'playlist', entries: [{ title: 'a' }] }, 'fine'],
  ['a list of two', { _type: 'playlist', entries: [{}, {}] }, 'media_multiple_videos'],
  ['an empty list', { _type: 'playlist', entries: [] }, 'media_no_video'],
  ['a live stream', { is_live: true }, 'media_live'],
  ['a live stream by status', { live_status: 'is_live' }, 'media_live'],
  ['the recording of one', { live_status: 'was_live', is_live: false }, 'fine'],
  ['a coming one', { live_status: 'is_upcoming' }, 'media_not_yet_available'],
  ['a private one', { availability: 'private' }, 'media_private'],
  ['only protected formats', { formats: [{ has_drm: true }] }, 'media_drm_protected'],
  ['some protected formats', { formats: [{ has_drm: true }, {}] }, 'fine'],
  ['too long', { duration: 101 }, 'media_too_long'],
  ['an image', { ext: 'jpg' }, 'media_no_video'],
  ['an image without formats', { formats: [] }, 'media_no_video'],
  [
    'a list of images',
    { _type: 'playlist', entries: [null, { ext: 'jpg' }, { formats: [] }] },
    'media_no_video',
  ],
  [
    'one video among images',
    { _type: 'playlist', entries: [null, { ext: 'webp' }, { ext: 'mp4' }, { formats: [] }] },
    'fine',
  ],
  [
    'two videos among images',
    { _type: 'playlist', entries: [{ ext: 'mp4' }, null, {}] },
    'media_multiple_videos',
  ],
];
for (const [name, info, expected] of descriptions) {
  test(`a page with ${name} is ${expected}`, () => {
    if (expected === 'fine') return void onlyVideo(info, 100);
    assert.throws(
      () => onlyVideo(info, 100),
      (error) => error instanceof MediaFailure && error.code === expected,
    );
  });
}

test('a post counts as described when images are all that could not be', () => {
  const image = 'ERROR: [Instagram] abc: No video formats found!; please report this issue';
  assert.ok(onlyImagesFailed(`WARNING: x\n${image}\n${image}\n`));
  assert.ok(!onlyImagesFailed(`${image}\nERROR: [Instagram] abc: HTTP Error 403: Forbidden\n`));
  assert.ok(!onlyImagesFailed(''));
});

test('every status of a web server has its word, and only passing ones are worth another try', () => {
  const words = Object.fromEntries(
    [400, 401, 403, 404, 410, 429, 451, 500, 503, 504].map((status) => {
      const { code, transient } = failureOfStatus(status);
      return [status, `${code}${transient ? ', again' : ''}`];
    }),
  );
  assert.deepEqual(words, {
    400: 'source_unresolvable',
    401: 'media_login_required',
    403: 'media_forbidden',
    404: 'media_not_found',
    410: 'media_not_found',
    429: 'source_rate_limited, again',
    451: 'media_geo_restricted',
    500: 'source_unreachable, again',
    503: 'source_unreachable, again',
    504: 'source_unreachable, again',
  });
  assert.equal(failureOfStatus(429, '7').retryAfterMs, 7_000);
});

const names: readonly (readonly [url: string, disposition: string | undefined, label: string])[] = [
  ['https://a.example/x/talk%20one.mp3', undefined, 'talk one.mp3'],
  ['https://a.example/x/', undefined, 'x'],
  ['https://a.example/', undefined, 'a.example'],
  ['https://a.example/%E0%A4%A', undefined, '%E0%A4%A'],
  ['https://a.example/d', 'attachment; filename="Ein Vortrag.mp4"', 'Ein Vortrag.mp4'],
  ['https://a.example/d', 'attachment; filename=plain.mp3', 'plain.mp3'],
  [
    'https://a.example/d',
    `attachment; filename="x.mp3"; filename*=UTF-8''%E2%82%AC%20rates.mp3`,
    '€ rates.mp3',
  ],
  ['https://a.example/d', `attachment; filename*=ISO-8859-1''caf%E9.mp3`, 'café.mp3'],
  ['https://a.example/d', `inline; filename="${Buffer.from('über.mp3').toString('latin1')}"`, 'über.mp3'],
  ['https://a.example/d', 'attachment; filename="../../etc/passwd"', 'etc passwd'],
  ['https://a.example/d.mp3', 'attachment; filename=""', 'd.mp3'],
  ['https://a.example/d.mp3', 'attachment', 'd.mp3'],
  ['https://a.example/d', 'attachment; filename="a\\"b.mp3"', 'a"b.mp3'],
];
for (const [url, disposition, label] of names) {
  test(`the label of ${url} with ${disposition ?? 'no header'} is ${label}`, () => {
    assert.equal(labelFromAnswer(new URL(url), disposition), label);
  });
}

test('labels are one clean line of at most 240 characters', () => {
  assert.equal(cleanLabel('a\u0000b\r\nc\u202Egnp.exe'), 'a b cgnp.exe');
  assert.equal(cleanLabel('  AC/DC  live  '), 'AC DC live');
  assert.equal([...cleanLabel('é'.repeat(500))].length, 240);
  assert.equal(labelFromUrl(new URL('https://a.example/%00%0A/')), 'a.example');
});
