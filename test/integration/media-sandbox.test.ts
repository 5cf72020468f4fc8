import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { decode } from '../../src/media/decode.ts';
import { MediaFailure } from '../../src/media/media-failure.ts';
import { probe } from '../../src/media/probe.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { findSandbox } from '../../src/platform/process/find-sandbox.ts';
import { findProgram } from '../../src/platform/process/program.ts';
import type { Sandbox } from '../../src/platform/process/sandbox.ts';
import { type ProcessSpec, runProcess } from '../../src/platform/process/subprocess.ts';
import { fileAttack, networkAttack } from '../fixtures/confined-attacks.ts';
import { mediaFolder } from '../fixtures/media-files.ts';
import { eventually } from '../support/eventually.ts';
import { sandbox as found, withoutSandbox as skip } from '../support/sandbox.ts';

const sandbox = found as Sandbox; // Every test that uses it is skipped where there is none.
const isRoot = process.getuid?.() === 0;

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-sandbox-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function inside(script: string, spec: Partial<ProcessSpec> = {}) {
  return runProcess({
    command: 'sh',
    args: ['-c', script],
    confinement: { sandbox },
    signal: clock.timeout(20_000),
    outputBytesMax: 1_000_000,
    ...spec,
  });
}

test('a missing sandbox is found out and named, not believed in', async () => {
  const search = { command: '/nonexistent/bwrap', hidden: [], signal: clock.timeout(10_000) };
  assert.deepEqual(await findSandbox(search), {
    missing: 'bubblewrap',
    reason: '/nonexistent/bwrap was not found',
  });
});

test('a bubblewrap that may not make namespaces is no sandbox, and its own words say why', async (t) => {
  const command = join(await temporaryFolder(t), 'bwrap');
  const refusal = 'bwrap: setting up uid map: Permission denied';
  const script = `#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.8.0 && exit 0\necho '${refusal}' >&2\nexit 1\n`;
  await writeFile(command, script, { mode: 0o755 });
  const refused = await findSandbox({ command, hidden: [], signal: clock.timeout(10_000) });
  assert.deepEqual(refused, { missing: 'namespaces', reason: refusal });
});

test('a sandbox that cannot be made for a file is our fault, not the file’s', { skip }, async (t) => {
  const programs = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', sandbox, clock };
  const gone = join(await temporaryFolder(t), 'gone.mp3');
  await assert.rejects(
    probe(programs, gone),
    (error) => !(error instanceof MediaFailure) && /bwrap:/.test(`${error}`),
  );
});

test('inside the sandbox media decode as outside', { skip }, async () => {
  await using folder = await mediaFolder();
  const lengths = [];
  for (const place of [undefined, sandbox]) {
    const programs = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', sandbox: place, clock };
    const decoded = decode(programs, await folder.encode('mp4'), { durationSecondsMax: 60 });
    for await (const _samples of decoded.audio);
    lengths.push((await decoded.finished).samples);
  }
  assert.equal(lengths[0], lengths[1]);
  const programs = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', sandbox, clock };
  await assert.rejects(probe(programs, import.meta.filename), MediaFailure);
});

test('a confined program reaches no port of loopback, no private, link-local or public address', {
  skip,
}, async () => {
  const { attempts, succeeded } = await networkAttack(sandbox);
  assert.deepEqual(succeeded, []);
  assert.ok(attempts > 65_535);
});

for (const [name, options] of Object.entries({
  'that only reads': {},
  'that may write in a folder of its own': { writable: true },
})) {
  test(`a confined program ${name} gets no secret, no other process, no right and no place to write`, {
    skip,
  }, async () => {
    const { attempts, succeeded } = await fileAttack(sandbox, options);
    assert.deepEqual(succeeded, []);
    assert.ok(attempts > 80);
  });
}

const systemFolder = skip || (!isRoot && 'only root may write below /usr');

test('a data directory below a folder of the system stays hidden', { skip: systemFolder }, async () => {
  const { succeeded } = await fileAttack(sandbox, { parent: '/usr/local' });
  assert.deepEqual(succeeded, []);
});

test('a data directory in a home that nobody else may enter works and stays hidden', { skip }, async (t) => {
  const parent = await temporaryFolder(t);
  await chmod(parent, 0o700);
  const { succeeded } = await fileAttack(sandbox, { parent, writable: true });
  assert.deepEqual(succeeded, []);
});

const ordinaryUser = { uid: 64_321, gid: 64_321 };
const ordinarySkip =
  skip || (!isRoot && 'only root can become another user') || (await refusedToOrdinaryUsers());

async function refusedToOrdinaryUsers(): Promise<string | false> {
  const trial = await inside('true', { user: ordinaryUser }).catch((error: unknown) => ({
    code: 1,
    stderr: `${error}`,
  }));
  return trial.code === 0 ? false : `ordinary users may not make namespaces here: ${trial.stderr.trim()}`;
}

test('an ordinary user makes the same sandbox', { skip: ordinarySkip }, async (t) => {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o777);
  const confinement = { sandbox, writable: folder };
  const run = await inside(`id -u; touch ${folder}/mine && ls /etc /root /home /proc; touch /x`, {
    user: ordinaryUser,
    confinement,
  });
  assert.equal(run.stdout.toString().split('\n')[0], '65534');
  assert.doesNotMatch(run.stdout.toString(), /passwd/);
  assert.notEqual(run.code, 0);
  assert.deepEqual(await readdir(folder), ['mine']);
});

test('exit codes and signals of a confined program come out as they are', { skip }, async () => {
  assert.equal((await inside('exit 7')).code, 7);
  assert.equal((await inside('kill -9 $$')).code, 137);
  assert.equal((await inside('exec /nonexistent')).code, 127);
});

test('a confined program has its limits, and only its own environment', { skip }, async () => {
  const limits = { openFiles: 33, fileBytes: 0, memoryBytes: 1_000_000_000 };
  const run = await inside('ulimit -n; env', { limits, env: { GIVEN: 'yes' } });
  const [files, ...variables] = run.stdout.toString().trim().split('\n');
  assert.equal(files, '33');
  const names = variables
    .map((line) => line.split('=')[0])
    .filter((name) => !['PWD', '_', 'SHLVL', 'OLDPWD'].includes(name ?? ''));
  assert.deepEqual(names.toSorted(), ['GIVEN', 'LANG', 'PATH']);
});

test('an abort ends everything that runs inside, also what went into the background', { skip }, async () => {
  const stop = new AbortController();
  const mark = `LONGHAND_TEST_MARK=${crypto.randomUUID()}`;
  const [name = '', value = ''] = mark.split('=');
  const running = inside('sleep 1000 & setsid sleep 1000 & sleep 1000', {
    env: { [name]: value },
    signal: stop.signal,
  });
  await eventually(async () => (await processesNaming(mark)).length >= 4, 'the program and its children');
  stop.abort();
  await running;
  await eventually(async () => (await processesNaming(mark)).length === 0, 'their end');
});

async function processesNaming(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const line = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (line.includes(text)) found.push(pid);
  }
  return found;
}

test('a program that is installed elsewhere starts inside, and shows nothing beside itself', {
  skip,
}, async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'tool'), `#!/bin/sh\nls ${folder}\n`, { mode: 0o755 });
  await writeFile(join(folder, 'private'), '');
  const tool = await findProgram(['/nonexistent/tool', join(folder, 'tool')]);
  assert.ok(tool);
  const run = await inside('', {
    command: tool.path,
    args: [],
    confinement: { sandbox, program: tool.files },
  });
  assert.equal(run.stdout.toString().trim(), 'tool');
});

test('a virtual environment is shown whole, together with the Python that it was made from', {
  skip,
}, async (t) => {
  const folder = await temporaryFolder(t);
  const environment = join(folder, 'environment');
  const python = join(folder, 'python');
  for (const place of [environment, python]) await mkdir(join(place, 'bin'), { recursive: true });
  await writeFile(join(environment, 'pyvenv.cfg'), `home = ${join(python, 'bin')}\n`);
  await writeFile(join(environment, 'library'), 'from the environment');
  await writeFile(join(python, 'bin', 'python3'), '#!/bin/sh\ncat "$2"\n', { mode: 0o755 });
  const script = `#!/bin/sh\nexec ${python}/bin/python3 -- ${environment}/library\n`;
  await writeFile(join(environment, 'bin', 'tool'), script, { mode: 0o755 });
  const tool = await findProgram([join(environment, 'bin', 'tool')]);
  assert.ok(tool);
  const run = await inside('', {
    command: tool.path,
    args: [],
    confinement: { sandbox, program: tool.files },
  });
  assert.equal(run.stdout.toString(), 'from the environment', run.stderr);
});

test('a program of the system needs nothing shown, and one that is missing is found out', async () => {
  assert.deepEqual((await findProgram(['/nonexistent/ffmpeg', 'ffmpeg']))?.files, []);
  assert.equal(await findProgram(['/nonexistent/ffmpeg', 'no-such-program']), undefined);
});
