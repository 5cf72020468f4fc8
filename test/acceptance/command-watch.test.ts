/** `longhand watch`: an inbox folder whose recordings are transcribed once, whatever happens to the command. */
import assert from 'node:assert/strict';
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { type ApiClient, newClient } from '../support/api-client.ts';
import { type StartedCommand, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { type Environment, longhand, runService, testEnvironment } from '../support/service.ts';
import { watchedWay } from '../support/watched-way.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const spoken = /young man/i;

const hooks = { after };
const service = await runService(hooks);
const way = await watchedWay(hooks, service.url);
const local = await testEnvironment(hooks);
let client: ApiClient;
let home: string;
let folder: string;
let environment: Environment;

beforeEach(async () => {
  client = await newClient(service);
  way.reset();
  home = await mkdtemp(join(tmpdir(), 'longhand-'));
  folder = join(home, 'inbox');
  await mkdir(join(folder, 'day 2'), { recursive: true });
  environment = {
    PATH: process.env.PATH ?? '',
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_STATE_HOME: join(home, 'state'),
    LONGHAND_DATA_DIR: join(home, 'data'),
    LONGHAND_SERVER: way.url,
    LONGHAND_KEY: client.key ?? '',
  };
});
afterEach(() => rm(home, { recursive: true, force: true }));

const jobs = async () => (await client.get('/api/v1/transcriptions?limit=100')).body.data as object[];
const watch = (...args: string[]) => startCommand(environment, ['watch', folder, '--settle', '1', ...args]);
const content = (name: string) =>
  eventually(() => readFile(join(folder, name), 'utf8').catch(() => undefined), `${name} to be written`);
const exists = (name: string) =>
  stat(join(folder, name)).then(
    () => true,
    () => false,
  );

async function end({ child, result }: StartedCommand, signal: NodeJS.Signals = 'SIGINT') {
  child.kill(signal);
  return await result;
}

/** Until the command has said it. */
async function told(command: StartedCommand, pattern: RegExp): Promise<void> {
  let said = '';
  command.child.stdout?.on('data', (text: Buffer) => {
    said += text;
  });
  command.child.stderr?.on('data', (text: Buffer) => {
    said += text;
  });
  await eventually(() => pattern.test(said), `${pattern} in ${said}`);
}

test('recordings that are there and that arrive get a transcript beside them; each is a job once', async () => {
  await copyFile(austen, join(folder, 'first.flac'));
  await copyFile(austen, join(folder, '.hidden.flac'));
  await writeFile(join(folder, 'notes.txt'), 'no recording');
  const first = watch();
  assert.match(await content('first.txt'), spoken);
  await copyFile(austen, join(folder, 'day 2', 'second.flac'));
  assert.match(await content(join('day 2', 'second.txt')), spoken);
  const { code, stdout } = await end(first);
  assert.equal(code, 0);
  assert.match(stdout, /^first\.flac → .*first\.txt$/m);

  // Another run finds all of it done, and takes only what is new.
  await copyFile(austen, join(folder, 'third.flac'));
  const second = watch();
  assert.match(await content('third.txt'), spoken);
  assert.doesNotMatch((await end(second)).stdout, /first|second/);
  assert.equal((await jobs()).length, 3);
  assert.equal(await readFile(join(folder, 'notes.txt'), 'utf8'), 'no recording');
});

test('a watcher that is killed goes on with the job that runs, and creates no other', async () => {
  await copyFile(austen, join(folder, 'talk.flac'));
  way.mutes = ({ path }) => path.endsWith('/events');
  const killed = watch();
  await eventually(async () => ((await jobs()).length === 1 ? true : undefined), 'the job');
  await eventually(() => way.passed.some((one) => one.endsWith('/events')), 'the command to follow it');
  await end(killed, 'SIGKILL');
  assert.equal(await exists('talk.txt'), false);
  way.mutes = () => false;
  const again = watch();
  assert.match(await content('talk.txt'), spoken);
  await end(again);
  assert.equal((await jobs()).length, 1);
});

test('one that fails is named once and left alone until it changes or is asked for', async () => {
  await writeFile(join(folder, 'broken.mp3'), 'nothing to hear here');
  const first = watch();
  await told(first, /^longhand: broken\.mp3: [A-Z].*\.$/m);
  await copyFile(austen, join(folder, 'good.flac'));
  await content('good.txt');
  const { stderr } = await end(first);
  assert.equal(stderr.match(/broken\.mp3/g)?.length, 1);

  const second = watch();
  await told(second, /1 failed before; --retry-failed tries them again/);
  await copyFile(austen, join(folder, 'more.flac'));
  await content('more.txt');
  assert.doesNotMatch((await end(second)).stderr, /broken\.mp3/);

  const third = watch('--retry-failed');
  await told(third, /^longhand: broken\.mp3: /m);
  await copyFile(austen, join(folder, 'broken.mp3'));
  assert.match(await content('broken.txt'), spoken);
  await end(third);
});

test('a recording that changed is done again; a transcript that is not ours is never overwritten', async () => {
  await copyFile(austen, join(folder, 'mine.flac'));
  await writeFile(join(folder, 'mine.txt'), 'by hand');
  await copyFile(austen, join(folder, 'talk.flac'));
  await copyFile(austen, join(folder, 'talk.ogg'));
  const first = watch('--parallel', '2');
  await told(first, /mine\.flac: there is a transcript already/);
  await content('talk.txt');
  await eventually(() => exists('talk.ogg.txt').then((one) => one || exists('talk.flac.txt')), 'the other');
  const before = (await jobs()).length;
  await rm(join(folder, 'talk.txt'));
  await appendFile(join(folder, 'talk.flac'), Buffer.alloc(16));
  await appendFile(join(folder, 'talk.ogg'), Buffer.alloc(16));
  await content('talk.txt');
  await end(first);
  assert.equal(await readFile(join(folder, 'mine.txt'), 'utf8'), 'by hand');
  assert.ok((await jobs()).length > before);
});

test('transcripts go to another folder and in another format when told, with the folders below', async () => {
  const texts = join(folder, '..', 'texts');
  await copyFile(austen, join(folder, 'day 2', 'talk.flac'));
  const command = watch('--output-dir', texts, '--format', 'srt', '--json');
  const srt = await content(join('..', 'texts', 'day 2', 'talk.srt'));
  assert.match(srt, /^1\n00:00:0/);
  const { stdout } = await end(command, 'SIGTERM');
  const { source, state, error } = JSON.parse(stdout);
  assert.deepEqual([source, state, error], [join('day 2', 'talk.flac'), 'done', null]);
  assert.deepEqual(await readdir(join(folder, 'day 2')), ['talk.flac']);
});

test('a folder has one watcher at a time', async () => {
  const first = watch();
  await told(first, /^Watching/m);
  const second = await longhand(environment, 'watch', folder);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /watched already, by the process \d+/);
  await end(first);
});

test('what was typed wrong ends with 2, and a key that is not taken with 1', async () => {
  const wrong: [args: string[], code: number, sentence: RegExp][] = [
    [[join(folder, 'nowhere')], 2, /There is no folder/],
    [[folder, '--language', 'en'], 2, /--language cannot be passed to a server/],
    [[folder, '--settle', '0'], 2, /--settle must be/],
    [[folder, '--key', `lh_${'x'.repeat(36)}`], 1, /does not take this key/],
  ];
  for (const [args, code, sentence] of wrong) {
    const result = await longhand(environment, 'watch', ...args);
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, sentence);
  }
});

test('on this machine a killed watcher leaves no job behind, and its recording is transcribed once', async () => {
  await copyFile(austen, join(folder, 'talk.flac'));
  await writeFile(join(folder, 'long.wav'), wavBytes(600, 0));
  const args = ['watch', folder, '--settle', '1', '--language', 'en', '--parallel', '1'];
  const killed = startCommand(local, args);
  const list = async () =>
    JSON.parse((await longhand(local, 'jobs', '--json')).stdout).jobs as { id: string }[];
  const [running] = await eventually(async () => {
    const known = await list();
    return known.length > 0 ? known : undefined;
  }, 'a job');
  await end(killed, 'SIGKILL');
  const left = (await list()).map(({ id }) => id);
  const again = startCommand(local, args);
  assert.match(await content('talk.txt'), spoken);
  await content('long.txt');
  const { code } = await end(again);
  assert.equal(code, 0);
  assert.ok(left.every((id) => id === running?.id));
  assert.deepEqual(await list(), []);
});
