/** `./setup` on machines that lack things, in a copy of the checkout. Only the system's and npm's installers are replaced. */
import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Hooks, onCleanup } from '../support/cleanup.ts';

const root = join(import.meta.dirname, '..', '..');
const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };
const isReachable = !isRoot || spawnSync('test', ['-x', process.execPath], nobody).status === 0;
const skip = isReachable ? false : 'this checkout lies where other users may not go';
/** What a bare system has. */
const bare = [
  'sh',
  'bash',
  'env',
  'cat',
  'cksum',
  'sed',
  'dirname',
  'uname',
  'id',
  'readlink',
  'ln',
  'mkdir',
  'touch',
];
const wanted = ['ffmpeg', 'ffprobe', 'yt-dlp', 'bwrap'];
const administrator = 'apt-get update && apt-get install -y --no-install-recommends';

interface Machine {
  /** The only folder on the path. */
  bin: string;
  put(name: string, script: string): Promise<void>;
  setup(...args: string[]): SpawnSyncReturns<string>;
  asUser(...args: string[]): SpawnSyncReturns<string>;
}

async function machine(hooks: Hooks): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-setup-'));
  onCleanup(hooks, () => rm(folder, { recursive: true, force: true }));
  const checkout = join(folder, 'longhand');
  const bin = join(folder, 'bin');
  await mkdir(join(checkout, 'bin'), { recursive: true });
  await mkdir(join(checkout, 'web'));
  await mkdir(bin);
  for (const file of ['setup', 'package.json', 'package-lock.json', 'bin/longhand'])
    await cp(join(root, file), join(checkout, file));
  await linkModels(join(checkout, 'data'));
  for (const name of ['src', 'scripts', 'migrations']) await symlink(join(root, name), join(checkout, name));
  for (const name of bare)
    await symlink(spawnSync('which', [name]).stdout.toString().trim(), join(bin, name));
  await symlink(process.execPath, join(bin, 'node'));
  const put = async (name: string, script: string) => {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  };
  // Our code runs where it lies, with the packages that are there.
  await put('npm', 'mkdir -p node_modules web/dist; touch web/dist/index.html');
  await chmod(folder, 0o755);
  if (isRoot)
    for (const path of ['', 'bin', 'web', 'data', 'data/models'].map((name) => join(checkout, name)))
      await chown(path, nobody.uid, nobody.gid);
  const run = (user: object, args: string[]) =>
    spawnSync(join(bin, 'sh'), [join(checkout, 'setup'), ...args], {
      // Models that are there whatever this machine has memory for.
      env: { PATH: bin, HOME: folder, LONGHAND_ACCURACY: 'balanced' },
      encoding: 'utf8',
      timeout: 60_000,
      ...user,
    });
  return {
    bin,
    put,
    setup: (...args) => run({}, args),
    asUser: (...args) => run(isRoot ? nobody : {}, args),
  };
}

/** The models that are there, readable for the user who runs setup: the tests fetch nothing from the network. */
async function linkModels(data: string): Promise<void> {
  await mkdir(data);
  const copy = (...options: string[]) =>
    spawnSync('cp', ['-r', ...options, join(root, 'data', 'models'), data]).status;
  assert.ok(copy('-l') === 0 || copy() === 0);
}

test('where nothing can be installed, setup names what is missing and its effect, and goes on', {
  skip,
}, async (t) => {
  const { asUser } = await machine(t);
  const { status, stdout, stderr } = asUser();
  assert.equal(status, 0, stderr);
  assert.equal(stderr, '');
  assert.match(stdout, /missing and could not be installed: ffmpeg yt-dlp bubblewrap\n/);
  assert.match(stdout, /without ffmpeg no recording can be read\n/);
  assert.match(
    stdout,
    /Install them with your package manager\.\nsetup: ready otherwise\. Next: npm start\n$/,
  );
});

test('without sudo, or with one that refuses, there is the exact command for an administrator', {
  skip,
}, async (t) => {
  const { put, asUser } = await machine(t);
  await put('apt-get', 'echo "apt-get was called" >&2; exit 1');
  for (const args of [[], ['--tests']]) {
    const { status, stdout, stderr } = asUser(...args);
    assert.deepEqual([status, stderr], [0, '']);
    assert.ok(stdout.includes(`installs them with: ${administrator} ffmpeg yt-dlp bubblewrap`), stdout);
  }
  await put('sudo', 'exit 1');
  for (const name of wanted) await put(name, 'exit 0');
  const { status, stdout, stderr } = asUser('--tests');
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(
    stdout,
    new RegExp(`${administrator} radosgw ceph-mon ceph-osd curl chromium chromium-headless-shell espeak-ng`),
  );
  assert.match(stdout, /Next: npm test\n$/);
});

test('with sudo, packages are installed by it; one that is not to be had keeps no other out', {
  skip,
}, async (t) => {
  const { bin, put, asUser } = await machine(t);
  const log = join(bin, '..', 'log');
  await writeFile(log, '');
  await chmod(log, 0o666);
  await chmod(bin, 0o777);
  await put('sudo', `echo "$@" >> ${log}; [ "$1" = -n ] && exit 0; exec "$@"`);
  // The packages that it has are small.
  await put(
    'apt-get',
    `case "$*" in update*) exit 0 ;; *yt-dlp*) exit 100 ;; *ffmpeg) set -- ffmpeg ffprobe ;; *bubblewrap) set -- bwrap ;; esac
     for name in "$@"; do ln -s ${join(bin, 'true')} ${bin}/"$name"; done`,
  );
  await put('true', 'exit 0');
  const { status, stdout, stderr } = asUser();
  assert.equal(status, 0, stderr);
  assert.match(await readFile(log, 'utf8'), /apt-get install .* ffmpeg yt-dlp bubblewrap\n/);
  const found = await readdir(bin);
  assert.ok(['ffmpeg', 'ffprobe', 'bwrap'].every((name) => found.includes(name)));
  assert.match(
    stdout,
    /could not be installed: yt-dlp\nsetup: {3}without yt-dlp links to pages of video sites fail\n/,
  );
});

test('with everything there setup installs nothing, and its second run does not even ask npm', {
  skip,
}, async (t) => {
  const { put, asUser, bin } = await machine(t);
  for (const name of wanted) await put(name, 'exit 0');
  const first = asUser();
  assert.deepEqual([first.status, first.stderr], [0, '']);
  assert.match(first.stdout, /installing npm packages\nsetup: building the web product\n/);
  await rm(join(bin, 'npm'));
  await put('npm', 'exit 1');
  const second = asUser();
  assert.deepEqual([second.status, second.stderr], [0, '']);
  assert.match(second.stdout, /^[^\n]*\n?setup: ready\. Next: npm start\n$/);
});

test('without npm and the right to install it, setup ends with the command that an administrator runs', {
  skip,
}, async (t) => {
  const { bin, put, asUser } = await machine(t);
  await rm(join(bin, 'npm'));
  await put('apt-get', 'exit 1');
  const { status, stdout, stderr } = asUser();
  assert.equal(status, 1);
  assert.ok(stdout.includes(`${administrator} npm ffmpeg yt-dlp bubblewrap`), stdout);
  assert.match(stderr, /^setup: npm is needed to go on .*\n$/);
});

test('an unknown flag is answered with the usage', async (t) => {
  const { setup } = await machine(t);
  const { status, stdout } = setup('--help');
  assert.equal(status, 2);
  assert.match(stdout, /\.\/setup --tests/);
});
