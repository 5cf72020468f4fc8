/** Links over the API: a site on loopback stands in for the world, allowed by its exact address and port. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { newClient } from '../support/api-client.ts';
import { longhand, runService } from '../support/service.ts';

const path = '/api/v1/transcriptions';
const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const spoken = /not an ill[- ]disposed young man/i;

const pages = new Map<string, RequestListener>();
const visits: string[] = [];
const site = createServer((request, response) => {
  visits.push(request.url ?? '');
  const answer = pages.get(request.url ?? '');
  if (answer) answer(request, response);
  else response.writeHead(404).end();
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
const { port } = site.address() as AddressInfo;
const origin = `http://127.0.0.1:${port}`;
after(() => {
  site.closeAllConnections();
  site.close();
});

const service = await runService({ after }, { LONGHAND_EGRESS_ALLOW: `127.0.0.1:${port}` });
const client = await newClient(service);
await servePages();

function give(bytes: Buffer | string, headers: Record<string, string> = {}): RequestListener {
  return (_request, response) => response.writeHead(200, headers).end(bytes);
}

function page(title: string, body: string): RequestListener {
  const html = `<!doctype html><html><head><title>${title}</title></head><body>${body}</body></html>`;
  return give(html, { 'content-type': 'text/html' });
}

function lead(location: string): RequestListener {
  return (_request, response) => response.writeHead(302, { location }).end();
}

async function servePages(): Promise<void> {
  const flac = await readFile(austen);
  pages.set('/media/austen%20one.flac', give(flac));
  pages.set('/start', lead('/second'));
  pages.set('/second', lead(`${origin}/third`));
  pages.set('/third', lead('media/austen%20one.flac'));
  pages.set('/page', page('Pride &amp; Prejudice', '<video src="/media/austen%20one.flac"></video>'));
  pages.set(
    '/s/AbCdEfGhIjKlMnO/download',
    give(flac, { 'content-disposition': 'attachment; filename="share.flac"' }),
  );
  const directory = await mkdtemp(join(tmpdir(), 'longhand-hls-'));
  const target = join(directory, 'list.m3u8');
  const hls = ['-c:a', 'aac', '-f', 'hls', '-hls_time', '1', '-hls_list_size', '0', target];
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-i', austen, ...hls]);
  for (const name of await readdir(directory))
    pages.set(`/hls/${name}`, give(await readFile(join(directory, name))));
  await rm(directory, { recursive: true });
}

async function jobOf(source_url: string) {
  const created = await client.post(path, { source_url });
  assert.equal(created.status, 202, JSON.stringify(created.body));
  return (await client.ended(created.body.data.id)).body.data;
}

for (const [kind, link, filename] of [
  ['a direct link', '/media/austen%20one.flac', 'austen one.flac'],
  ['a chain of redirects', '/start', 'austen one.flac'],
  ['a page with one video', '/page', 'Pride & Prejudice'],
  ['a cloud-drive share', '/s/AbCdEfGhIjKlMnO', 'share.flac'],
  ['an HLS stream', '/hls/list.m3u8', 'list'],
] as const) {
  test(`${kind} becomes a transcript, labelled for people`, async () => {
    const job = await jobOf(origin + link);
    assert.deepEqual(
      { status: job.status, error: job.error, filename: job.filename },
      { status: 'completed', error: null, filename },
    );
    assert.match(job.text, spoken);
    assert.ok(Math.abs(job.duration_seconds - 2.99) < 0.2);
  });
}

test('links that cannot become audio are accepted, then fail with a sentence of their own', async () => {
  pages.set(
    '/two',
    page('Two', '<video src="/media/austen%20one.flac"></video><video src="/other.mp4"></video>'),
  );
  pages.set('/inside', lead('http://169.254.169.254/latest/meta-data/'));
  pages.set(
    '/embedded',
    page('Inside', `<video src="http://127.0.0.1:${Number(new URL(service.url).port)}/healthz"></video>`),
  );
  pages.set('/text.mp3', give('only text '.repeat(1_000)));
  const failed: Record<string, RegExp> = {
    [`${origin}/gone.mp3`]: /removed, has expired or never existed/,
    [`${origin}/two`]: /several videos/,
    [`${origin}/inside`]: /not public/,
    [`${origin}/embedded`]: /not public/,
    [`${origin}/text.mp3`]: /could not be read as audio or video/,
    'https://www.youtube.com/playlist?list=PL123': /playlist/,
    'https://www.instagram.com/somebody/': /profile/,
    'https://drive.google.com/drive/folders/1AbCdEfGhIjKl': /folder/,
    'https://mega.nz/file/abc': /not supported/,
    'https://www.twitch.tv/somebody': /live stream/,
  };
  for (const [url, sentence] of Object.entries(failed)) {
    const job = await jobOf(url);
    assert.equal(job.status, 'failed', url);
    assert.match(job.error, sentence, url);
    assert.deepEqual([job.text, job.segments, job.duration_seconds], [null, null, null]);
  }
});

test('nothing of a job stays in the working folder, whether it completed or failed', async () => {
  const { LONGHAND_DATA_DIR = '' } = service.environment;
  assert.deepEqual(await readdir(join(LONGHAND_DATA_DIR, 'tmp')), []);
});

test('the command line transcribes a link, and refuses one that is not public with a sentence', async () => {
  const { stdout } = await longhand(service.environment, 'transcribe', `${origin}/page`);
  assert.match(stdout, spoken);
  const refused = await longhand(service.environment, 'transcribe', 'http://10.0.0.1/a.mp3');
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /cannot be opened: the address is not public/);
});
