/** `longhand transcribe` on a server: the same job from another machine, gone on with when it was cut. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { type ApiClient, newClient } from '../support/api-client.ts';
import { startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { type Environment, longhand, runService } from '../support/service.ts';
import { type Passing, watchedWay } from '../support/watched-way.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const spoken = /young man/i;
const site = createServer(async (request, response) => {
  if (request.url?.endsWith('.flac')) response.end(await readFile(austen));
  else response.writeHead(404).end();
}).listen(0, '127.0.0.1');
await once(site, 'listening');
const siteTarget = `127.0.0.1:${(site.address() as AddressInfo).port}`;
after(() => {
  site.closeAllConnections();
  site.close();
});

const hooks = { after };
const service = await runService(hooks, {
  LONGHAND_EGRESS_ALLOW: siteTarget,
  LONGHAND_MULTIPART_THRESHOLD: String(20 * 1024 * 1024),
});
const way = await watchedWay(hooks, service.url);
let client: ApiClient;
let directory: string;
let environment: Environment;

/** Another account, another machine, and nothing known from before. */
beforeEach(async () => {
  client = await newClient(service);
  way.reset();
  directory = await mkdtemp(join(tmpdir(), 'longhand-'));
  environment = {
    PATH: process.env.PATH ?? '',
    XDG_CONFIG_HOME: join(directory, 'config'),
    XDG_STATE_HOME: join(directory, 'state'),
    LONGHAND_DATA_DIR: join(directory, 'data'),
    LONGHAND_SERVER: way.url,
    LONGHAND_KEY: client.key ?? '',
  };
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const transcribe = (...args: string[]) => longhand(environment, 'transcribe', ...args);
const jobs = async () => (await client.get('/api/v1/transcriptions?limit=100')).body.data as { id: string }[];
const puts = () => way.passed.filter((one) => one.startsWith('PUT ')).length;

test('the server is found by options, by the environment and by a saved login', async () => {
  const { LONGHAND_SERVER: _server, LONGHAND_KEY: key = '', ...nothing } = environment;
  const byOption = await longhand(nothing, 'transcribe', austen, '--server', way.url, '--key', key);
  assert.equal(byOption.code, 0, byOption.stderr);
  assert.match(byOption.stdout, spoken);
  assert.equal((await longhand(nothing, 'login', way.url, '--key', key)).code, 0);
  const byLogin = await longhand(nothing, 'transcribe', austen);
  assert.deepEqual([byLogin.code, byLogin.stdout], [0, byOption.stdout], byLogin.stderr);
  const byEnvironment = await transcribe(austen);
  assert.deepEqual([byEnvironment.code, byEnvironment.stdout], [0, byOption.stdout]);
  assert.equal((await jobs()).length, 1, 'the same file was transcribed again');
  // The saved key stays with its server.
  const other = await longhand(nothing, 'transcribe', austen, '--server', service.url);
  assert.equal(other.code, 2);
  assert.match(other.stderr, /There is no key for/);
});

test('a folder, a pattern and links from a file become a folder of transcripts', async () => {
  const recordings = join(directory, 'recordings');
  await mkdir(join(recordings, 'day 2'), { recursive: true });
  await copyFile(austen, join(recordings, 'first.flac'));
  await copyFile(austen, join(recordings, 'day 2', 'second.flac'));
  await writeFile(join(recordings, 'broken.mp3'), 'nothing to hear here');
  await mkdir(join(directory, 'more'));
  await copyFile(austen, join(directory, 'more', 'third.flac'));
  const links = join(directory, 'links.txt');
  await writeFile(links, `# talks\n\nhttp://${siteTarget}/fourth.flac\nhttp://${siteTarget}/gone.mp3\n`);
  const texts = join(directory, 'texts');
  const pattern = join(directory, 'more', '*.flac');
  const args = [recordings, pattern, '--from-file', links, '--output-dir', texts, '--format', 'srt'];
  const { code, stdout, stderr } = await transcribe(...args, '--parallel', '3');
  assert.deepEqual([code, stdout], [1, ''], stderr);
  const written = (await readdir(texts, { recursive: true })).filter((name) => name.endsWith('.srt'));
  assert.deepEqual(written.toSorted(), [join('day 2', 'second.srt'), 'first.srt', 'fourth.srt', 'third.srt']);
  assert.match(await readFile(join(texts, 'fourth.srt'), 'utf8'), /^1\n00:00:0[\s\S]*young man/i);
  assert.match(stderr, /^longhand: .*broken\.mp3: [A-Z].*\.$/m);
  assert.match(stderr, /^longhand: .*gone\.mp3: [A-Z].*\.$/m);
  assert.match(stderr, /longhand: 2 of 6 recordings failed\.\n$/);

  // A second run of the same command tries what failed and takes the rest as it is.
  const before = (await jobs()).length;
  const sent = puts();
  assert.equal((await transcribe(...args)).code, 1);
  assert.equal((await jobs()).length, before + 1, 'only the link that failed is a new job');
  assert.equal(puts(), sent, 'no recording that was done is sent again');
});

test('a file that is done is not sent again; --again does it anew', async () => {
  const first = await transcribe(austen, '--json');
  const second = await transcribe(austen, '--json');
  assert.equal(second.stdout, first.stdout);
  assert.deepEqual([puts(), (await jobs()).length], [1, 1]);
  assert.equal((await transcribe(austen, '--again', '--json')).stdout, first.stdout);
  assert.deepEqual([puts(), (await jobs()).length], [2, 2]);
});

test('a command killed in the middle of an upload goes on with the parts that are missing', async () => {
  const long = join(directory, 'long.wav');
  await writeFile(long, wavBytes(1_200, 0)); // 37 MiB: three parts.
  let taken = 0;
  way.holds = ({ method }) => method === 'PUT' && ++taken > 2;
  const { child, result } = startCommand(environment, ['transcribe', long]);
  await eventually(() => puts() === 2 && taken > 2, 'two parts to be sent and one to be held');
  // The two that were let through are stored before the command dies.
  await eventually(async () => ((await storedParts()) === 2 ? true : undefined), 'two parts to be stored');
  child.kill('SIGKILL');
  await result;
  assert.deepEqual(await jobs(), []);

  way.holds = () => false;
  const { code, stderr } = await transcribe(long);
  assert.equal(code, 0, stderr);
  assert.equal(puts(), 3, 'a part was sent twice');
  assert.equal(way.passed.filter((one) => one === 'POST /api/v1/uploads').length, 1);
  assert.equal((await jobs()).length, 1);
});

/** By the state that the command keeps, as the service sees it. */
async function storedParts(): Promise<number> {
  const folder = join(directory, 'state', 'longhand', 'jobs');
  const [name] = (await readdir(folder)).filter((one) => one.endsWith('.json'));
  if (name === undefined) return 0;
  const { upload } = JSON.parse(await readFile(join(folder, name), 'utf8'));
  const { key, storage, upload_id } = upload;
  const query = new URLSearchParams({ key, storage, upload_id });
  return (await client.get(`/api/v1/uploads/multipart?${query}`)).body.data.uploaded.length;
}

test('a command killed while the server works, or before it heard the answer, finds its job again', async () => {
  const isCreate = ({ method, path }: Passing) => method === 'POST' && path === '/api/v1/transcriptions';
  const isStream = ({ path }: Passing) => path.endsWith('/events');
  for (const [number, isMuted] of [isCreate, isStream].entries()) {
    const recording = join(directory, `${number}.flac`);
    await copyFile(austen, recording);
    way.mutes = isMuted;
    const { child, result } = startCommand(environment, ['transcribe', recording]);
    await eventually(async () => ((await jobs()).length === number + 1 ? true : undefined), 'the job');
    child.kill('SIGKILL');
    await result;
    way.mutes = () => false;
    const again = await transcribe(recording);
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, spoken);
    assert.equal((await jobs()).length, number + 1, 'the recording was transcribed twice');
  }
});

test('--follow shows the text while it is made, in the order of the recordings', async () => {
  const other = join(directory, 'other.flac');
  await copyFile(austen, other);
  const { stdout: text } = await transcribe(austen);
  assert.equal((await transcribe(other, '--follow')).stdout, text);
  const { code, stdout } = await transcribe(other, austen, '--follow');
  assert.deepEqual([code, stdout], [0, `==> ${other} <==\n${text}\n==> ${austen} <==\n${text}\n`]);
  const output = join(directory, 'speakers.txt');
  const written = await transcribe(other, '--follow', '--speakers', '--output', output);
  assert.equal(written.code, 0, written.stderr);
  assert.match(await readFile(output, 'utf8'), /^Speaker 1: /m);
});

test('standard input is sent like a file', async () => {
  const { code, stdout, stderr } = await startCommand(environment, ['transcribe', '-'], {
    inputFile: austen,
  }).result;
  assert.equal(code, 0, stderr);
  assert.match(stdout, spoken);
});

test('what cannot be done on a server, or was typed wrong, is said before anything is sent', async () => {
  const mistakes: [args: string[], sentence: RegExp][] = [
    [[austen, '--language', 'en'], /--language cannot be passed to a server/],
    [[austen, '--speaker-count', '2'], /--speaker-count cannot be passed to a server/],
    [[austen, '--parallel', '0'], /--parallel must be a whole number from 1 to 32/],
    [[austen, '--follow', '--format', 'srt'], /--follow shows text/],
    [[austen, '--follow', '--speakers'], /Speakers are known only at the end/],
    [[austen, '--follow', '--json'], /exclude each other/],
    [[austen, '--local', '--key', 'x'], /leave out --server and --key/],
    [[austen, '--local', '--again'], /--again is for a server/],
    [[austen, '--server', 'ftp://a.example'], /http or https URL/],
    [['--from-file', join(directory, 'none.txt')], /cannot be read/],
    [[join(directory, '*.flac')], /No recording matches/],
  ];
  for (const [args, sentence] of mistakes) {
    const { code, stdout, stderr } = await transcribe(...args);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, /^longhand: [^\n]*\n$/);
    assert.match(stderr, sentence);
  }
  assert.deepEqual(way.passed, []);
});

test('a key that is not taken and a server that is away are one sentence, and no recording is sent', async () => {
  const wrong = await transcribe(austen, '--key', `lh_${'x'.repeat(36)}`);
  assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
  assert.match(wrong.stderr, /^longhand: The server at http:\S+ does not take this key: [^\n]*\n$/);
  assert.deepEqual(new Set(way.passed), new Set(['GET /api/v1/transcriptions']));
});

test('an interrupted command ends with 130 and says how to go on', async () => {
  const held = Promise.withResolvers<void>();
  way.holds = ({ path }) => {
    if (path.endsWith('/events')) held.resolve();
    return path.endsWith('/events');
  };
  const { child, result } = startCommand(environment, ['transcribe', austen]);
  await held.promise;
  child.kill('SIGINT');
  const { code, stderr } = await result;
  assert.deepEqual(
    [code, stderr],
    [130, 'longhand: Interrupted; the same command goes on where this one ended.\n'],
  );
});
