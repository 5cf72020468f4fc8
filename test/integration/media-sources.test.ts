import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { createEgress } from '../../src/egress/egress.ts';
import { nothingAllowed } from '../../src/egress/url.ts';
import { decode } from '../../src/media/decode.ts';
import { MediaFailure, type MediaFailureCode } from '../../src/media/media-failure.ts';
import { type AcquireOptions, createSources } from '../../src/media/resolve.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import type { Sandbox } from '../../src/platform/process/sandbox.ts';
import { type MediaFolder, mediaFolder } from '../fixtures/media-files.ts';
import {
  breakingFile,
  file,
  type MediaSite,
  mediaSite,
  page,
  redirect,
  status,
} from '../fixtures/media-site.ts';
import { trustingYtdlp } from '../fixtures/page-attacks.ts';
import { sandbox, withoutSandbox } from '../support/sandbox.ts';

/** Waits between tries are counted, not waited for. */
const waits: number[] = [];
const clock: Clock = {
  ...systemClock,
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    waits.push(ms);
  },
};

let folder: MediaFolder;
let site: MediaSite;
let mp3: Buffer;
let wav: Buffer;
let root: string;

before(async () => {
  folder = await mediaFolder();
  mp3 = await readFile(await folder.encode('mp3'));
  wav = await readFile(folder.speech);
  site = await mediaSite();
  root = await mkdtemp(join(tmpdir(), 'longhand-sources-'));
});
after(async () => {
  await site[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

async function acquire(
  url: string,
  some: Partial<AcquireOptions> & { ytdlp?: string; sandbox?: Sandbox | undefined; clock?: Clock } = {},
) {
  site.seen.length = 0;
  waits.length = 0;
  const egress = createEgress({ allow: nothingAllowed, clock: systemClock, ...site.network });
  const { ytdlp = '/nonexistent/yt-dlp', sandbox } = some;
  const sources = createSources({ egress, clock: some.clock ?? clock, ytdlp: [ytdlp], sandbox });
  const directory = some.directory ?? (await mkdtemp(join(root, 'job-')));
  const options = { directory, sizeBytesMax: 10_000_000, durationSecondsMax: 3_600, ...some };
  return await sources.acquireSource(url, options);
}

async function failureOf(url: string, some: Parameters<typeof acquire>[1] = {}): Promise<MediaFailure> {
  const error = await acquire(url, some).then(
    () => assert.fail('it succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof MediaFailure, String(error));
  return error;
}

async function refused(
  code: MediaFailureCode,
  url: string,
  some: Parameters<typeof acquire>[1] = {},
): Promise<void> {
  const error = await failureOf(url, some);
  assert.equal(error.code, code, String(error.cause));
}

async function same(got: { file: string }, expected: Buffer): Promise<void> {
  assert.ok((await readFile(got.file)).equals(expected), 'other bytes than were served');
}

test('a direct link gives the bytes and a label from the header', async () => {
  const header = { 'content-disposition': `attachment; filename="x"; filename*=UTF-8''Mein%20Vortrag.mp3` };
  site.answers.set('/a.mp3', file(mp3, header));
  const got = await acquire('https://cdn.example.com/a.mp3?token=1');
  assert.equal(got.label, 'Mein Vortrag.mp3');
  await same(got, mp3);
});

test('media that come packed are refused before a byte of them is written', async () => {
  const zeros = Buffer.concat([wav, Buffer.alloc(50_000_000)]);
  for (const [encoding, packed] of [
    ['gzip', gzipSync(zeros)],
    ['br', brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ] as const) {
    site.answers.set('/packed.wav', file(packed, { 'content-encoding': encoding }));
    await refused('media_encoded', 'https://cdn.example.com/packed.wav', { sizeBytesMax: 100_000_000 });
    assert.equal(site.seen.length, 1);
  }
  site.answers.set('/plain.wav', file(wav, { 'content-encoding': 'identity' }));
  await same(await acquire('https://cdn.example.com/plain.wav'), wav);
});

test('a link that drips is given up after the patience that the limits name, and not tried again', async () => {
  const startedAt = systemClock.now();
  // A millisecond of the test is a second of the download.
  const fast = { ...clock, now: () => startedAt + (systemClock.now() - startedAt) * 1_000 };
  let drip: NodeJS.Timeout | undefined;
  site.answers.set('/drip.wav', (_request, response) => {
    response.writeHead(200, { etag: '"v1"' }).write(wav.subarray(0, 65_536));
    drip = setInterval(() => response.write('x'), 5);
    response.on('close', () => clearInterval(drip));
  });
  await refused('media_too_slow', 'https://cdn.example.com/drip.wav', { clock: fast });
  assert.equal(site.seen.length, 1);
});

test('a chain of redirects over names, schemes and ports is followed', async () => {
  site.answers.set('/one', redirect('https://two.example.com/two'));
  site.answers.set('/two', redirect('http://three.example.org:8080/three'));
  site.answers.set('/three', redirect('four.mp3'));
  site.answers.set('/four.mp3', file(mp3));
  const got = await acquire('http://one.example.com/one');
  assert.equal(got.label, 'four.mp3');
  await same(got, mp3);
});

test('a broken connection is taken up where it stopped', async () => {
  site.answers.set('/big.wav', breakingFile(wav, 100_000, { etag: '"v1"' }));
  await same(await acquire('https://cdn.example.com/big.wav'), wav);
  const ranges = site.seen.filter((line) => line.includes('bytes='));
  assert.ok(ranges.length >= Math.floor(wav.length / 100_000), `${ranges.length} ranges`);
});

test('when the file changed in between, it is fetched anew and never glued together', async () => {
  const other = Buffer.concat([wav.subarray(0, 44), Buffer.alloc(wav.length - 44, 7)]);
  const first = breakingFile(wav, 100_000, { etag: '"v1"' });
  site.answers.set('/changing.wav', (request, response) => {
    site.answers.set('/changing.wav', file(other, { etag: '"v2"' }));
    first(request, response);
  });
  await same(await acquire('https://cdn.example.com/changing.wav'), other);
});

test('passing troubles are told as such, with the wait that a site asks for; each is one try', async () => {
  const troubles = {
    broken: [breakingFile(wav, 100_000, {}), 'source_unreachable', undefined],
    down: [status(500), 'source_unreachable', undefined],
    busy: [status(429, { 'retry-after': '9' }), 'source_rate_limited', 9_000],
  } as const;
  for (const [name, [answer, code, retryAfterMs]] of Object.entries(troubles)) {
    site.answers.set(`/${name}.wav`, answer);
    const error = await failureOf(`https://cdn.example.com/${name}.wav`);
    assert.deepEqual([error.code, error.transient, error.retryAfterMs], [code, true, retryAfterMs], name);
    assert.equal(site.seen.length, 1, name);
  }
  assert.deepEqual(waits, []);
});

for (const [code, failure] of [
  [401, 'media_login_required'],
  [403, 'media_forbidden'],
  [404, 'media_not_found'],
  [410, 'media_not_found'],
  [451, 'media_geo_restricted'],
] as const) {
  test(`a ${code} is ${failure} at once`, async () => {
    site.answers.set('/refused.mp3', status(code));
    await refused(failure, 'https://cdn.example.com/refused.mp3');
    assert.equal(site.seen.length, 1);
  });
}

test('a name that resolves to a private address, or a redirect to one, is blocked without a try', async () => {
  site.answers.set('/in', redirect('http://10.0.0.1/secret.mp3'));
  await refused('source_blocked', 'https://cdn.example.com/in');
  assert.equal(site.seen.length, 1);
  await refused('source_blocked', 'http://127.0.0.1/x.mp3');
  await refused('source_blocked', 'http://printer.local/x.mp3');
});

test('more bytes than the plan allows are refused by their length, or when they have come', async () => {
  site.answers.set('/long.mp3', file(mp3));
  await refused('media_too_large', 'https://cdn.example.com/long.mp3', { sizeBytesMax: 1_000 });
  site.answers.set('/stream.mp3', (_request, response) => {
    response.write(mp3);
    response.end(mp3);
  });
  await refused('media_too_large', 'https://cdn.example.com/stream.mp3', { sizeBytesMax: mp3.length + 10 });
  site.answers.set('/resumed.wav', breakingFile(wav, 100_000, { etag: '"v1"' }));
  const cut = breakingFile(wav, 100_000, { etag: '"v1"' });
  site.answers.set('/resumed.wav', (request, response) => {
    response.removeHeader('content-length');
    cut(request, response);
  });
  await refused('media_too_large', 'https://cdn.example.com/resumed.wav', { sizeBytesMax: 150_000 });
});

for (const [name, bytes] of Object.entries({
  'an empty answer': Buffer.alloc(0),
  'plain text': Buffer.from('hello '.repeat(2_000)),
  'JSON with a media type': Buffer.from(`{"a":"${'b'.repeat(9_000)}"}`),
  'an archive': Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(9_000)]),
  'a program': Buffer.concat([Buffer.from('7f454c46', 'hex'), Buffer.alloc(100)]),
})) {
  test(`${name} behind a direct link is not media`, async () => {
    site.answers.set('/odd.mp3', file(bytes, { 'content-type': 'audio/mpeg' }));
    await refused('media_unreadable', 'https://cdn.example.com/odd.mp3');
  });
}

test('an abort ends the download with the caller’s own reason', async () => {
  const stop = new AbortController();
  site.answers.set('/slow.mp3', (_request, response) => {
    response.write(mp3.subarray(0, 1_000), () => stop.abort(new Error('the lease is lost')));
  });
  await assert.rejects(
    acquire('https://cdn.example.com/slow.mp3', { signal: stop.signal }),
    /the lease is lost/,
  );
});

const driveId = '1AbCdEfGhIjKlMnOp';
const googlePath = 'drive.usercontent.google.com/download';
const confirmation = `<form id="download-form" action="https://drive.usercontent.google.com/download" method="get">
  <input type="hidden" name="id" value="${driveId}"><input type="hidden" name="uuid" value="u1"></form>`;

test('Google Drive gives a file, also after the confirmation for large ones', async () => {
  site.answers.set(googlePath, (request, response) => {
    if (request.url?.includes('uuid=u1'))
      file(mp3, { 'content-disposition': 'attachment; filename="big.mp3"' })(request, response);
    else page('Google Drive - Virus scan warning', confirmation)(request, response);
  });
  const got = await acquire(`https://drive.google.com/file/d/${driveId}/view?usp=sharing`);
  assert.equal(got.label, 'big.mp3');
  await same(got, mp3);
  assert.equal(site.seen.length, 2);
  site.answers.delete(googlePath);
});

test('Google Drive: private, gone, over quota and endless confirmation each have their word', async () => {
  const link = `https://drive.google.com/open?id=${driveId}`;
  const said = (text: string) => page('Google Drive', `<p class="uc-error-subcaption">${text}</p>`);
  site.answers.set(googlePath, said('You need access. Ask for permission.'));
  await refused('media_private', link);
  site.answers.set(googlePath, said('Sorry, the file you have requested does not exist.'));
  await refused('media_not_found', link);
  site.answers.set(googlePath, said('Too many users have viewed or downloaded this file recently.'));
  await refused('source_rate_limited', link);
  site.answers.set(googlePath, redirect('https://media.example/ServiceLogin'));
  site.answers.set('media.example/ServiceLogin', page('Sign in', '<input type="password">'));
  await refused('media_login_required', link);
  let round = 0;
  site.answers.set(googlePath, (request, response) => {
    round += 1;
    page('again', confirmation.replace('u1', `u${round}`))(request, response);
  });
  await refused('source_unresolvable', link);
  assert.ok(site.seen.length <= 4);
  site.answers.delete(googlePath);
});

test('Dropbox gives the file with its key kept, or says that it is gone', async () => {
  site.answers.set('/scl/fi/abc/talk.mp3', (request, response) => {
    const isComplete = request.url?.includes('rlkey=k1') && request.url.includes('dl=1');
    (isComplete ? redirect('https://dl.example.com/talk.mp3') : status(404))(request, response);
  });
  site.answers.set('/talk.mp3', file(mp3));
  await same(await acquire('https://www.dropbox.com/scl/fi/abc/talk.mp3?rlkey=k1&dl=0'), mp3);
  site.answers.set('/s/gone/x.mp3', page('Dropbox - File Deleted', 'The file was deleted or moved.'));
  await refused('media_not_found', 'https://www.dropbox.com/s/gone/x.mp3');
});

test('OneDrive and SharePoint give what they give without a token, and say so otherwise', async () => {
  const token = Buffer.from('https://1drv.ms/v/s!AbC').toString('base64url');
  site.answers.set(`/v1.0/shares/u!${token}/root/content`, redirect('https://cdn.example.com/a.mp3'));
  site.answers.set('/a.mp3', file(mp3));
  await same(await acquire('https://1drv.ms/v/s!AbC'), mp3);
  site.answers.set(`/v1.0/shares/u!${token}/root/content`, status(401));
  await refused('media_login_required', 'https://1drv.ms/v/s!AbC');
  site.answers.set(
    '/:v:/s/site/E1',
    redirect('https://tenant.sharepoint.com/_layouts/15/Authenticate.aspx/login'),
  );
  site.answers.set('/_layouts/15/Authenticate.aspx/login', page('Sign in to your account', ''));
  await refused('media_login_required', 'https://tenant.sharepoint.com/:v:/s/site/E1?e=x');
});

test('a Nextcloud share gives its file; a folder and a missing share are told apart', async () => {
  const share = '/s/AbCdEfGhIjKlMnO';
  site.answers.set(
    `${share}/download`,
    file(mp3, { 'content-disposition': 'attachment; filename="note.mp3"' }),
  );
  const got = await acquire(`https://cloud.example.org${share}`);
  assert.equal(got.label, 'note.mp3');
  const zip = Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(100)]);
  site.answers.set(`${share}/download`, file(zip, { 'content-type': 'application/zip' }));
  await refused('source_not_accepted', `https://cloud.example.org${share}`);
  site.answers.set(`${share}/download`, page('Nextcloud', 'This share does not exist'));
  await refused('media_not_found', `https://cloud.example.org${share}`);
});

test('a short link is expanded and judged again before anything else is started', async () => {
  site.answers.set('vm.tiktok.com/ZM1/', redirect('https://www.tiktok.com/@somebody'));
  site.answers.set('www.tiktok.com/@somebody', page('profile', ''));
  await refused('source_not_accepted', 'https://vm.tiktok.com/ZM1/');
  site.answers.set('fb.watch/in/', redirect('http://169.254.169.254/latest/meta-data/'));
  await refused('source_blocked', 'https://fb.watch/in/');
});

test('links that can never be one video fail before anything is asked', async () => {
  for (const url of ['https://www.youtube.com/playlist?list=PL1', 'https://www.instagram.com/stories/a/1/']) {
    await refused('source_not_accepted', url);
    assert.deepEqual(site.seen, []);
  }
});

test('without yt-dlp a page fails with a word for the operator, and direct media still work', async () => {
  site.answers.set('/watch', page('A talk', '<video src="/a.mp3"></video>'));
  site.answers.set('/a.mp3', file(mp3));
  await refused('source_resolver_unavailable', 'http://pages.example.com/watch');
  await same(await acquire('http://pages.example.com/a.mp3'), mp3);
});

const real = { ytdlp: 'yt-dlp', sandbox };
const skip = withoutSandbox;

test('yt-dlp brings the one video of a page, labelled by its title', { skip }, async () => {
  site.answers.set('/talk', page('A talk &amp; more', '<video src="/a.mp3"></video>'));
  site.answers.set('/a.mp3', file(mp3, { 'content-type': 'audio/mpeg' }));
  const got = await acquire('http://pages.example.com/talk', real);
  assert.equal(got.label, 'A talk & more');
  await same(got, mp3);
});

for (const [kind, manifest, flags] of [
  ['HLS', 'list.m3u8', ['-f', 'hls', '-hls_time', '2', '-hls_list_size', '0']],
  ['DASH', 'list.mpd', ['-f', 'dash', '-seg_duration', '2']],
] as const) {
  test(`yt-dlp brings a stream of ${kind}, which then decodes whole`, { skip }, async () => {
    await using streams = await mediaFolder();
    await streams.ffmpeg('-i', streams.speech, '-c:a', 'aac', ...flags, manifest);
    for (const name of await readdir(streams.path)) {
      site.answers.set(`/${kind}/${name}`, file(await readFile(join(streams.path, name))));
    }
    site.answers.set('/go', redirect(`http://cdn.example.com/${kind}/${manifest}`));
    const got = await acquire('http://pages.example.com/go', real);
    const programs = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', clock: systemClock };
    const decoded = decode(programs, got.file, { durationSecondsMax: 100 });
    for await (const _samples of decoded.audio);
    const { durationSeconds } = await decoded.finished;
    assert.ok(Math.abs(durationSeconds - (wav.length - 44) / 44_100) < 0.2, `${durationSeconds} s`);
  });
}

test('a Box share comes through yt-dlp and TLS tunnels, with nothing of the proxy in the requests', {
  skip,
}, async () => {
  const json = (value: unknown) =>
    file(Buffer.from(JSON.stringify(value)), { 'content-type': 'application/json' });
  const headers: string[] = [];
  site.answers.set(
    'app.box.com/s/shared1/file/42',
    page('Box', `<script>Box.config = {"requestToken":"t1"};</script>`),
  );
  site.answers.set('app.box.com/app-api/enduserapp/elements/tokens', json({ 42: { read: 'a1' } }));
  site.answers.set('api.box.com/2.0/files/42', (request, response) => {
    headers.push(...Object.keys(request.headers));
    json({
      name: 'Board meeting.mp3',
      extension: 'mp3',
      is_download_available: true,
      authenticated_download_url: 'https://dl.boxcloud.com/d/42',
    })(request, response);
  });
  site.answers.set('dl.boxcloud.com/d/42', file(mp3, { 'content-type': 'audio/mpeg' }));
  const got = await acquire('https://app.box.com/s/shared1/file/42', {
    ...real,
    ytdlp: await trustingYtdlp(root),
  });
  assert.equal(got.label, 'Board meeting.mp3');
  await same(got, mp3);
  assert.ok(!headers.some((name) => name.startsWith('proxy-')), String(headers));
});

/** What Instagram's page for embedding says of a post with several parts. */
function carousel(...parts: ('image' | 'video')[]) {
  const media = parts.map((kind, index) => ({
    pk: `${index + 1}000000000000000000`,
    code: `Part${index}`,
    image_versions2: { candidates: [{ url: 'https://cdn.example.com/image.jpg', width: 1, height: 1 }] },
    ...(kind === 'video'
      ? { video_versions: [{ id: '1', url: 'https://cdn.example.com/part.mp4', width: 1, height: 1 }] }
      : {}),
  }));
  const item = { pk: '3000000000000000000', user: { username: 'somebody' }, carousel_media: media };
  const data = JSON.stringify({ items: [item] });
  return page('Instagram', `<script>window.__additionalDataLoaded('extra',${data});</script>`);
}

for (const [parts, expected] of [
  [['image', 'video', 'image'], 'the video'],
  [['video', 'image', 'video'], 'media_multiple_videos'],
  [['image', 'image'], 'media_no_video'],
] as const) {
  test(`a post of ${parts.join(', ')} behind a link to a reel gives ${expected}`, { skip }, async () => {
    site.answers.set('www.instagram.com/reel/Cabc123', page('Instagram', 'Log in'));
    site.answers.set('www.instagram.com/reel/Cabc123/embed/', carousel(...parts));
    site.answers.set('cdn.example.com/part.mp4', file(mp3, { 'content-type': 'video/mp4' }));
    const options = { ...real, ytdlp: await trustingYtdlp(root) };
    const link = 'https://m.instagram.com/somebody//Reels/Cabc123/?igsh=x';
    if (expected === 'the video') await same(await acquire(link, options), mp3);
    else await refused(expected, link, options);
    site.answers.delete('www.instagram.com/reel/Cabc123');
  });
}

const hostilePages: readonly (readonly [string, string, MediaFailureCode])[] = [
  ['two videos', '<video src="/a.mp3"></video><video src="/b.mp3"></video>', 'media_multiple_videos'],
  ['no video', '<p>Only text here</p>', 'source_unresolvable'],
  ['a video on loopback', '<video src="http://127.0.0.1:22/a.mp4"></video>', 'source_blocked'],
  ['a video on a private address', '<video src="http://10.0.0.1/a.mp4"></video>', 'source_blocked'],
  ['a tunnel to a private address', '<video src="https://192.168.0.1/a.mp4"></video>', 'source_blocked'],
  ['the metadata address', '<video src="http://169.254.169.254/a.mp4"></video>', 'source_blocked'],
  ['a file of the machine', '<video src="file:///etc/passwd"></video>', 'source_unresolvable'],
  ['a video that is gone', '<video src="/gone.mp4"></video>', 'media_not_found'],
  ['a video that is too large', '<video src="/huge.mp4"></video>', 'media_too_large'],
];
for (const [name, body, code] of hostilePages) {
  test(`a page with ${name} ends as ${code}`, { skip }, async () => {
    site.answers.set('/hostile', page('Hostile', body));
    site.answers.set('/a.mp3', file(mp3));
    site.answers.set('/huge.mp4', (_request, response) => {
      response.writeHead(200, { 'content-length': '99999999999' });
      response.write(Buffer.alloc(1_000));
    });
    await refused(code, 'http://pages.example.com/hostile', real);
  });
}

test('a playlist that names files and private addresses as segments reads none of them', {
  skip,
}, async () => {
  const list = (uri: string) =>
    file(Buffer.from(`#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n${uri}\n#EXT-X-ENDLIST\n`));
  site.answers.set('/evil.m3u8', list('file:///etc/passwd'));
  await refused('source_blocked', 'http://pages.example.com/evil.m3u8', real);
  site.answers.set('/evil.m3u8', list('http://127.0.0.1:22/x.ts'));
  await refused('source_blocked', 'http://pages.example.com/evil.m3u8', real);
});

test('a page without an end is read no further than pages are long, however large the media may be', {
  skip,
}, async () => {
  let sentBytes = 0;
  const block = Buffer.alloc(2 ** 20, '<p>and so on</p>');
  site.answers.set('/endless', (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write('<!doctype html><html><head><title>Endless</title></head><body>');
    const more = () => {
      for (let goesOn = true; goesOn && !response.destroyed; sentBytes += block.length)
        goesOn = response.write(block);
    };
    response.on('drain', more);
    more();
  });
  await refused('media_too_large', 'http://pages.example.com/endless', { ...real, sizeBytesMax: 2 ** 31 });
  assert.ok(sentBytes < 2 ** 27, `${sentBytes} bytes were taken`);
});

test('an abort kills yt-dlp and leaves no process behind', { skip }, async () => {
  const stop = new AbortController();
  site.answers.set('/held', page('Held', '<video src="/never.mp4"></video>'));
  site.answers.set('/never.mp4', () => stop.abort(new Error('the lease is lost')));
  const directory = await mkdtemp(join(root, 'job-'));
  const work = acquire('http://pages.example.com/held', { ...real, directory, signal: stop.signal });
  await assert.rejects(work, /the lease is lost/);
  assert.deepEqual(await processesNaming(directory), []);
});

async function processesNaming(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(pid)) continue;
    const line = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (line.includes(text)) found.push(pid);
  }
  return found;
}
