import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createEgress } from '../../src/egress/egress.ts';
import { nothingAllowed } from '../../src/egress/url.ts';
import { PageProgram } from '../../src/media/page/page-program.ts';
import {
  installedYtdlp,
  installYtdlp,
  ToolInstallError,
  type ToolInstallOptions,
} from '../../src/media/page/tool-install.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { file, mediaSite, redirect, status } from '../fixtures/media-site.ts';
import { sandbox } from '../support/sandbox.ts';

const program = (version: string) => Buffer.from(`#!/bin/sh\necho ${version}\n`);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const sumsOf = (bytes: Buffer) => Buffer.from(`${'0'.repeat(64)}  yt-dlp.exe\n${sha256(bytes)}  yt-dlp\n`);

/** The release page of GitHub as it leads to its files. */
async function stage(t: TestContext) {
  const site = await mediaSite();
  const directory = join(await mkdtemp(join(tmpdir(), 'longhand-tools-')), 'tools');
  t.after(async () => {
    await site[Symbol.asyncDispose]();
    await rm(join(directory, '..'), { recursive: true, force: true });
  });
  const egress = createEgress({ allow: nothingAllowed, clock, ...site.network });
  const publish = (release: string, files: Record<string, Buffer>) => {
    for (const [name, bytes] of Object.entries(files)) {
      const path = `/yt-dlp/yt-dlp/releases/download/${release}/${name}`;
      const asset = `release-assets.githubusercontent.com/${release}/${name}`;
      site.answers.set(
        `github.com/yt-dlp/yt-dlp/releases/latest/download/${name}`,
        redirect(`https://github.com${path}`),
      );
      site.answers.set(`github.com${path}`, redirect(`https://${asset}?token=x`));
      site.answers.set(asset, file(bytes));
    }
  };
  const tryProgram = (path: string) => new PageProgram({ ytdlp: [path], sandbox, clock }).version();
  const install = (some: Partial<ToolInstallOptions> = {}) =>
    installYtdlp({ egress, clock, directory, tryProgram, ...some });
  const refused = async (reason: RegExp, some: Partial<ToolInstallOptions> = {}) =>
    await assert.rejects(
      install(some),
      (error) => error instanceof ToolInstallError && reason.test(error.message),
    );
  return { site, directory, publish, install, refused };
}

test('the newest release is fetched over its redirects, checked, tried and kept with a note', async (t) => {
  const { directory, publish, install } = await stage(t);
  const bytes = program('2026.11.01');
  publish('2026.11.01', { 'yt-dlp': bytes, 'SHA2-256SUMS': sumsOf(bytes) });
  const installed = await install();
  assert.equal(installed.version, '2026.11.01');
  assert.equal(installed.path, join(directory, 'yt-dlp'));
  assert.ok((await readFile(installed.path)).equals(bytes));
  assert.equal((await stat(installed.path)).mode & 0o777, 0o755);
  assert.deepEqual((await readdir(directory)).toSorted(), ['yt-dlp', 'yt-dlp.json']);
  assert.equal((await installedYtdlp(directory))?.sha256, sha256(bytes));
});

test('a newer one takes the place of an older one, and a named release is the one that comes', async (t) => {
  const { publish, install } = await stage(t);
  for (const version of ['2026.10.01', '2026.11.01']) {
    const bytes = program(version);
    publish(version, { 'yt-dlp': bytes, 'SHA2-256SUMS': sumsOf(bytes) });
  }
  assert.equal((await install()).version, '2026.11.01');
  assert.equal((await install({ release: '2026.10.01' })).version, '2026.10.01');
});

test('a program with another hash is not installed, and the older one stays', async (t) => {
  const { directory, publish, install, refused } = await stage(t);
  const good = program('2026.10.01');
  publish('2026.10.01', { 'yt-dlp': good, 'SHA2-256SUMS': sumsOf(good) });
  await install();
  publish('2026.11.01', {
    'yt-dlp': program('2026.11.01; rm -rf /'),
    'SHA2-256SUMS': sumsOf(program('2026.11.01')),
  });
  await refused(/has the SHA-256 .* and not .* it was not installed/);
  assert.ok((await readFile(join(directory, 'yt-dlp'))).equals(good));
  assert.deepEqual((await readdir(directory)).toSorted(), ['yt-dlp', 'yt-dlp.json']);
  await refused(/has the SHA-256/, { release: '2026.10.01', sha256: '1'.repeat(64) });
});

test('a missing release, a list without the program and a program that does not start each have a sentence', async (t) => {
  const { site, directory, publish, install, refused } = await stage(t);
  await refused(/SHA2-256SUMS cannot be fetched: the server answered 404/);
  publish('2026.11.01', { 'yt-dlp': program('x'), 'SHA2-256SUMS': Buffer.from('nothing of use\n') });
  await refused(/does not name yt-dlp/);
  const broken = Buffer.from('#!/bin/sh\nexit 3\n');
  publish('2026.11.01', { 'yt-dlp': broken, 'SHA2-256SUMS': sumsOf(broken) });
  await assert.rejects(install(), /source_resolver_unavailable/);
  site.answers.set('release-assets.githubusercontent.com/2026.11.01/yt-dlp', status(500));
  await refused(/yt-dlp cannot be fetched: the server answered 500/);
  assert.deepEqual(await readdir(directory).catch(() => []), []);
});

test('the fetching goes through the egress guard: no plain HTTP, no private address', async (t) => {
  const { site, refused } = await stage(t);
  await refused(/cannot be fetched/, { from: 'http://mirror.example.com/yt-dlp' });
  await refused(/cannot be fetched: the address is not public/, { from: 'https://10.0.0.1/yt-dlp' });
  site.answers.set('mirror.example.com/SHA2-256SUMS', redirect('https://169.254.169.254/latest'));
  await refused(/cannot be fetched: the address is not public/, { from: 'https://mirror.example.com' });
  assert.deepEqual(site.seen, ['GET mirror.example.com/SHA2-256SUMS']);
});

test('a note is believed only while the file is the one that was installed', async (t) => {
  const { directory, publish, install } = await stage(t);
  const bytes = program('2026.11.01');
  publish('2026.11.01', { 'yt-dlp': bytes, 'SHA2-256SUMS': sumsOf(bytes) });
  const { path } = await install();
  await rm(path);
  assert.equal(await installedYtdlp(directory), undefined);
});
