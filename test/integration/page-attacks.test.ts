import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createEgress } from '../../src/egress/egress.ts';
import { startEgressProxy } from '../../src/egress/proxy.ts';
import { nothingAllowed } from '../../src/egress/url.ts';
import { MediaFailure } from '../../src/media/media-failure.ts';
import { PageProgram } from '../../src/media/page/page-program.ts';
import { createSources } from '../../src/media/resolve.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { type Sandbox, sandboxProxyPort } from '../../src/platform/process/sandbox.ts';
import { runProcess } from '../../src/platform/process/subprocess.ts';
import { networkAttack } from '../fixtures/confined-attacks.ts';
import { file, mediaSite } from '../fixtures/media-site.ts';
import {
  attackWithoutSandbox,
  fragmentAttacks,
  infoJsonAttack,
  pageAttackStage,
} from '../fixtures/page-attacks.ts';
import { sandbox as found, withoutSandbox as skip } from '../support/sandbox.ts';

const sandbox = found as Sandbox; // Every test that uses it is skipped where there is none.

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-page-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('options in the fragment of a URL lead yt-dlp to no port of this machine, whatever way they come', {
  skip,
}, async (t) => {
  await using stage = await pageAttackStage(sandbox);
  const { version } = await stage.program.version();
  if (version < '2023.11.14')
    assert.ok((await attackWithoutSandbox(stage)) > 0, 'the attack itself no longer works');
  else
    t.diagnostic(
      `yt-dlp ${version} reads no headers from a fragment: the attack could not be shown to be real`,
    );
  const counts = await fragmentAttacks(stage);
  assert.ok(Object.keys(counts).length >= 18);
  assert.deepEqual(
    Object.entries(counts).filter(([, visits]) => visits > 0),
    [],
  );
});

test('headers in a description lead yt-dlp to no port of this machine', { skip }, async () => {
  await using stage = await pageAttackStage(sandbox);
  assert.equal(await infoJsonAttack(stage), 0);
});

async function openProxy(t: TestContext, socketFolder: string) {
  const site = await mediaSite();
  t.after(() => site[Symbol.asyncDispose]());
  const egress = createEgress({ allow: nothingAllowed, clock, ...site.network });
  const proxy = await startEgressProxy({ egress, bytesMax: 50_000_000, socketFolder });
  t.after(() => proxy[Symbol.asyncDispose]());
  return { site, proxy };
}

test('beside its proxy a program with a network reaches nothing', { skip }, async (t) => {
  const { proxy } = await openProxy(t, await temporaryFolder(t));
  const { succeeded } = await networkAttack(sandbox, proxy.socket);
  assert.deepEqual(succeeded, []);
});

/** Asks the proxy from inside and gives status and SHA-256 of what came. */
const askScript = `
  const http = require('node:http'), { createHash } = require('node:crypto');
  const [proxy, path] = process.argv.slice(1);
  const { username, password, port } = new URL(proxy);
  const headers = { 'proxy-authorization': 'Basic ' + Buffer.from(username + ':' + password).toString('base64') };
  const request = http.get({ host: '127.0.0.1', port, path, headers }, (answer) => {
    const hash = createHash('sha256');
    answer.on('data', (part) => hash.update(part));
    answer.on('end', () => console.log(answer.statusCode + ' ' + hash.digest('hex')));
  });
  request.on('error', (error) => { console.log(error.code); });`;

async function askFromInside(
  proxySocket: string | undefined,
  proxyUrl: string,
  url: string,
): Promise<string> {
  const run = await runProcess({
    command: process.execPath,
    args: ['-e', askScript, proxyUrl, url],
    confinement: { sandbox, ...(proxySocket === undefined ? {} : { proxySocket }) },
    signal: clock.timeout(30_000),
    outputBytesMax: 100_000,
  });
  return run.stdout.toString().trim() || run.stderr;
}

test('the proxy is reached from inside with its secret, and gives what is public and nothing else', {
  skip,
}, async (t) => {
  // The path of a data directory may be longer than the address of a socket can be.
  const deep = join(await temporaryFolder(t), 'a'.repeat(100));
  await mkdir(deep);
  const { site, proxy } = await openProxy(t, deep);
  const victim = createServer((_request, response) => response.end('inside'));
  await new Promise<void>((resolve) => victim.listen(0, '127.0.0.1', resolve));
  t.after(() => victim.close());
  const bytes = randomBytes(8_000_000);
  site.answers.set('/large', file(bytes));
  const ask = (url: string, by = proxy.url) => askFromInside(proxy.socket, by, url);
  const hash = createHash('sha256').update(bytes).digest('hex');
  assert.equal(await ask('http://media.example.com/large'), `200 ${hash}`);
  assert.match(await ask(`http://127.0.0.1:${(victim.address() as AddressInfo).port}/`), /^403 /);
  const guessed = `http://job:guessed@127.0.0.1:${sandboxProxyPort}`;
  assert.match(await ask('http://media.example.com/large', guessed), /^407 /);
});

/** Stands in for a yt-dlp that a page has taken over: it does as it likes when it comes to the download. */
async function hostileYtdlp(folder: string, download: string): Promise<string> {
  const path = join(folder, 'yt-dlp');
  const script = `#!/bin/sh
case "$*" in
  *--help*) echo '--ignore-config --config-locations' ;;
  *--version*) echo 2099.01.01 ;;
  *--flat-playlist*) echo '{"title": "A page", "extractor": "generic", "url": "http://a.example/x.mp4"}' ;;
  *) cd media && ${download} ;;
esac
`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}

async function endOfPage(t: TestContext, download: string): Promise<{ code: string; folder: string }> {
  const folder = await temporaryFolder(t);
  const site = await mediaSite();
  t.after(() => site[Symbol.asyncDispose]());
  const egress = createEgress({ allow: nothingAllowed, clock, ...site.network });
  const ytdlp = [await hostileYtdlp(folder, download.replaceAll('FOLDER', folder))];
  const sources = createSources({ egress, clock, ytdlp, sandbox });
  const directory = join(folder, 'job');
  await mkdir(directory);
  await writeFile(join(folder, 'secret'), 'a secret of the service');
  const limits = { sizeBytesMax: 1_000_000, durationSecondsMax: 60 };
  return await sources.acquireSource('https://youtu.be/abcdefghijk', { directory, ...limits }).then(
    async ({ file: path }) => ({ code: `fine: ${await readFile(path, 'utf8')}`, folder }),
    (error: unknown) => ({ code: error instanceof MediaFailure ? error.code : String(error), folder }),
  );
}

test('what yt-dlp leaves is taken only if it is one plain file of the size allowed', { skip }, async (t) => {
  const ends: Record<string, string> = {};
  for (const [name, download] of Object.entries({
    'a file': 'echo bytes > media.mp4',
    'a link to a file of the service': 'ln -s FOLDER/secret media.mp4',
    'a folder': 'mkdir media.mp4',
    'a pipe': 'mkfifo media.mp4',
    'two files': 'echo a > media.mp4; echo b > other.mp4',
    'a file that is too large': 'head -c 2000000 /dev/zero > media.mp4',
    nothing: 'true',
  }))
    ends[name] = (await endOfPage(t, download)).code;
  assert.deepEqual(ends, {
    'a file': 'fine: bytes\n',
    'a link to a file of the service': 'source_unresolvable',
    'a folder': 'source_unresolvable',
    'a pipe': 'source_unresolvable',
    'two files': 'source_unresolvable',
    'a file that is too large': 'source_unresolvable',
    nothing: 'source_unresolvable',
  });
});

test('a yt-dlp that has been taken over finds neither the service’s files nor a way to hand them on', {
  skip,
}, async (t) => {
  const { code } = await endOfPage(t, '{ cat FOLDER/secret || ls FOLDER; } > media.mp4 2>&1; true');
  assert.doesNotMatch(code, /a secret/);
  assert.match(code, /No such file/);
});

test('without a sandbox an old yt-dlp is not started for a page, and a recent one is', async (t) => {
  const folder = await temporaryFolder(t);
  const versionOf = async (said: string) => {
    const path = join(folder, said);
    await writeFile(path, `#!/bin/sh\necho ${said}\n`, { mode: 0o755 });
    const program = new PageProgram({ ytdlp: [path], sandbox: undefined, clock });
    return await program.version().then(
      ({ version }) => version,
      (error: MediaFailure) => error.code,
    );
  };
  assert.equal(await versionOf('2023.03.04'), 'source_resolver_unconfined');
  assert.equal(await versionOf('2026.06.08'), 'source_resolver_unconfined');
  assert.equal(await versionOf('unknown'), 'source_resolver_unconfined');
  assert.equal(await versionOf('2026.06.09'), '2026.06.09');
  assert.equal(await versionOf('2026.11.01.120000'), '2026.11.01.120000');
});

test('another yt-dlp that is installed while the service runs is used from then on', async (t) => {
  const folder = await temporaryFolder(t);
  const tool = join(folder, 'tools', 'yt-dlp');
  const put = (path: string, said: string) => writeFile(path, `#!/bin/sh\necho ${said}\n`, { mode: 0o755 });
  const program = new PageProgram({ ytdlp: [tool, join(folder, 'system')], sandbox: undefined, clock });
  await put(join(folder, 'system'), '2026.07.01');
  assert.equal((await program.version()).version, '2026.07.01');
  await mkdir(join(folder, 'tools'));
  await put(tool, '2026.10.01');
  assert.equal((await program.version()).version, '2026.10.01');
  await rm(tool);
  await put(tool, '2026.10.2222');
  assert.equal((await program.version()).version, '2026.10.2222');
});
