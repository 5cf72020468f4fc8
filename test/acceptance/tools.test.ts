/** `longhand tools` against a mirror on loopback, and what the service then opens pages with. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { longhand, temporaryDataDir } from '../support/service.ts';

const program = Buffer.from('#!/bin/sh\necho 2099.01.01\n');
const sha256 = createHash('sha256').update(program).digest('hex');
const files = new Map<string, Buffer>([
  ['/mirror/yt-dlp', program],
  ['/mirror/SHA2-256SUMS', Buffer.from(`${sha256}  yt-dlp\n`)],
]);
const mirror = createServer((request, response) => {
  const bytes = files.get(request.url ?? '');
  if (bytes) response.end(bytes);
  else response.writeHead(404).end();
});
await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
after(() => mirror.close());
const { port } = mirror.address() as AddressInfo;
const from = `http://127.0.0.1:${port}/mirror/`;

const dataDir = await temporaryDataDir({ after });
const environment = {
  PATH: process.env.PATH ?? '',
  LONGHAND_DATA_DIR: dataDir,
  LONGHAND_EGRESS_ALLOW: `127.0.0.1:${port}`,
};
const toolsDir = join(dataDir, 'tools');

async function toolsOf(settings: Record<string, string> = {}) {
  const { stdout, stderr } = await longhand({ ...environment, ...settings }, 'tools', 'list', '--json');
  assert.equal(stderr, '');
  return JSON.parse(stdout).tools;
}

test('what cannot be fetched or has another hash is one sentence, and nothing is installed', async () => {
  for (const [args, exitCode, sentence] of [
    [['yt-dlp', '--from', from, '--sha256', '1'.repeat(64)], 1, /has the SHA-256/],
    [['yt-dlp', '--from', `http://127.0.0.1:${port}/nothing`], 1, /the server answered 404/],
    [['yt-dlp', '--from', 'https://10.0.0.1/'], 1, /the address is not public/],
    [['ffmpeg'], 2, /Longhand can install yt-dlp/],
    [['yt-dlp', '--release', 'newest'], 2, /takes a release of yt-dlp/],
    [['yt-dlp', '--release', '2026.10.26', '--from', from], 2, /either --release or --from/],
    [['yt-dlp', '--sha256', 'abc'], 2, /64 hexadecimal digits/],
  ] as const) {
    const { code, stderr } = await longhand(environment, 'tools', 'install', ...args);
    assert.equal(code, exitCode, stderr);
    assert.match(stderr, /^longhand: .*\.\n$/);
    assert.match(stderr, sentence);
  }
  assert.deepEqual(await readdir(toolsDir).catch(() => []), []);
});

test('an installed yt-dlp goes before the one on the path; LONGHAND_YTDLP goes before both', async (t) => {
  const installed = await longhand(environment, 'tools', 'install', 'yt-dlp', '--from', from, '--json');
  assert.equal(installed.code, 0, installed.stderr);
  assert.equal(JSON.parse(installed.stdout).version, '2099.01.01');
  const path = join(toolsDir, 'yt-dlp');
  const [tool] = await toolsOf();
  assert.deepEqual([tool.path, tool.version, tool.installed.sha256], [path, '2099.01.01', sha256]);
  const doctor = await longhand(environment, 'doctor', '--json');
  const check = JSON.parse(doctor.stdout).checks.find(({ name }: { name: string }) => name === 'yt-dlp');
  assert.deepEqual([check.verdict, check.text], ['ok', `2099.01.01 (${path})`]);
  const own = join(await temporaryDataDir(t), 'own');
  await writeFile(own, '#!/bin/sh\necho 2098.01.01\n', { mode: 0o755 });
  assert.equal((await toolsOf({ LONGHAND_YTDLP: own }))[0].version, '2098.01.01');
});
