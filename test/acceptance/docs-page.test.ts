/** What /docs says, without a browser: complete, and its lines work when pasted. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { runService } from '../support/service.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const scriptWithinMs = 100_000;
const service = await runService({ after });

async function page(path = '/docs', headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(service.url + path, { headers });
  assert.equal(response.status, 200);
  return response.text();
}

/** The code in a block whose markup begins as `start` says. */
function codeAfter(html: string, start: string): string[] {
  return [...html.matchAll(new RegExp(`${start}.*?<pre[^>]*><code>(.*?)</code></pre>`, 'gs'))].map(
    ([, code = '']) =>
      code
        .replace(/<[^>]*>/g, '')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&'),
  );
}

function guideOf(html: string): string[] {
  return codeAfter(html, 'data-kind="guide"');
}

async function bash(script: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-c', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: scriptWithinMs,
    killSignal: 'SIGKILL',
  });
  const [output, [code]] = await Promise.all([
    text(child.stdout),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, output };
}

test('the lines of the guide, pasted into bash, lead from a file to its text', async () => {
  const { key = '' } = await newClient(service);
  const lines = guideOf(await page());
  assert.equal(lines.length, 6);
  const script = lines.join('\n').replace('YOUR_API_KEY', key).replace("'talk.mp3'", `'${austen}'`);
  assert.ok(script.includes(key) && script.includes(austen));
  const { code, output } = await bash(script);
  assert.equal(code, 0, output);
  const result = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  assert.equal(result.data.status, 'completed', output);
  assert.match(result.data.text, /ill[- ]disposed young man/i);
});

test('the lines of the reference, pasted into bash, are answered as the reference says', async () => {
  const { key = '' } = await newClient(service);
  const html = await page();
  for (const [operation, answer] of [
    ['discover', /"version":"v1"/],
    ['prepareUpload', /"upload":\{"type":"single"/],
    ['listTranscriptions', /\{"data":\[\]\}/],
    ['getTranscription', /"code":"not_found"/],
    ['getMultipartUpload', /"code":"invalid_multipart_upload"/],
    ['abortMultipartUpload', /"code":"invalid_multipart_upload"/],
    ['listWebhookSubscriptions', /\{"data":\[\]\}/],
    ['deleteWebhookSubscription', /"code":"not_found"/],
  ] as const) {
    const [line = ''] = codeAfter(html, `<article class="operation" id="${operation}"`);
    const id = '5b7cf6a5-1d3f-4a43-9a4c-4a6f2b0d5a55';
    const { code, output } = await bash(`KEY='${key}' ID='${id}'\n${line}`);
    assert.equal(code, 0, line);
    assert.match(output, answer, operation);
  }
});

test("a wrong key shows the API's sentence at the first step of the guide", async () => {
  const [start = '', prepare = ''] = guideOf(await page());
  const { output } = await bash(`${start.replace("'talk.mp3'", `'${austen}'`)}\n${prepare}`);
  assert.equal(JSON.parse(output).error.code, 'invalid_api_key');
});

test('every operation, every error code and every accepted extension stands on the page', async () => {
  const html = await page();
  const document = JSON.parse(await page('/api/v1/openapi.json'));
  const codes = new Set<string>();
  for (const [path, methods] of Object.entries<Record<string, { operationId: string; responses: object }>>(
    document.paths,
  )) {
    for (const [method, { operationId, responses }] of Object.entries(methods)) {
      assert.ok(html.includes(`id="${operationId}"`), operationId);
      assert.ok(html.includes(`data-method="${method.toUpperCase()}" data-path="${path}"`), operationId);
      for (const [code] of JSON.stringify(responses).matchAll(/(?<=")[a-z]+(_[a-z]+)+(?=")/g))
        codes.add(code);
    }
  }
  for (const code of ['missing_api_key', 'invalid_upload', 'queue_unavailable', 'internal_error']) {
    assert.ok(codes.has(code), code);
    assert.ok(html.includes(`id="error-${code}"`), code);
  }
  for (const extension of ['mp3', 'opus', 'mkv', '3gp'])
    assert.ok(html.includes(`>${extension}</span>`), extension);
  for (const language of ['TypeScript', 'Python', 'Go', 'PHP'])
    assert.ok(html.includes(`>${language}</label>`));
});

test('the page speaks of the address under which its reader reached it', async () => {
  const html = await page();
  assert.ok(html.includes(`<code>${service.url}</code>`));
  assert.ok(!html.includes('{base_url}'));
});

test('pages carry nothing inline, and the policy allows nothing from elsewhere', async () => {
  for (const path of ['/', '/docs']) {
    const response = await fetch(service.url + path);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; style-src 'self'; script-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|http|\*/);
    const html = await response.text();
    assert.doesNotMatch(html, /<style|\sstyle=|<script(?![^>]*src=)|\son[a-z]+=/i);
    for (const [, address = ''] of html.matchAll(/(?:src|href)="([^"]*)"/g)) {
      assert.match(address, /^[/#]/, address);
      if (address.startsWith('/')) assert.equal((await fetch(service.url + address)).status, 200, address);
    }
  }
});

test('a style of an older page is asked for again, one of this page is kept', async () => {
  const [, address = ''] = /href="([^"]*look\.css[^"]*)"/.exec(await page()) ?? [];
  const kept = async (path: string) => (await fetch(service.url + path)).headers.get('cache-control');
  assert.match((await kept(address)) ?? '', /immutable/);
  assert.equal(await kept(address.replace(/v=.*/, 'v=0')), 'no-cache');
});
