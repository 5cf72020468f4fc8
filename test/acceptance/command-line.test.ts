import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ApiClient } from '../support/api-client.ts';
import { type Environment, longhand, startService, temporaryDataDir } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');

/** The embedded default: no database is named. */
const dataDir = await temporaryDataDir({ after });
const environment: Environment = {
  PATH: process.env.PATH ?? '',
  LONGHAND_PORT: '0',
  LONGHAND_DATA_DIR: dataDir,
  LONGHAND_LOG_LEVEL: 'warn',
};

test('the first start prints a key once, commands join the running service, and a second service is refused', async () => {
  const first = await startService(environment);
  const [key = ''] = /lh_[0-9A-Za-z]{36}/.exec(first.output()) ?? [];
  assert.equal((await new ApiClient(first.url, key).get('/api/v1/transcriptions')).status, 200);

  const joined = await longhand(environment, 'account', 'list', '--json');
  assert.equal(joined.code, 0);
  const { accounts } = JSON.parse(joined.stdout);
  assert.deepEqual(
    accounts.map(({ name, plan }: { name: string; plan: string }) => ({ name, plan })),
    [{ name: 'default', plan: 'pro' }],
  );

  const second = await longhand(environment, 'serve');
  assert.equal(second.code, 1);
  assert.match(second.stderr, /^longhand: Another Longhand service is running on the data directory .*\.$/m);
  await first.stop();

  const again = await startService(environment);
  assert.doesNotMatch(again.output(), /lh_/);
  assert.equal((await new ApiClient(again.url, key).get('/api/v1/transcriptions')).status, 200);
  await again.stop();
});

test('secrets that Longhand makes for itself are readable by their owner only', async () => {
  const { mode } = await stat(join(dataDir, 'secrets', 'upload-signing-key'));
  assert.equal(mode & 0o777, 0o600);
});

test('accounts and keys are managed while the service does not run', async () => {
  const created = await longhand(environment, 'account', 'create', 'Ada', '--plan', 'free', '--json');
  const account = JSON.parse(created.stdout);
  assert.deepEqual({ ...account, id: '' }, { id: '', name: 'Ada', plan: 'free' });
  const changed = JSON.parse(
    (await longhand(environment, 'account', 'plan', account.id, 'pro', '--json')).stdout,
  );
  assert.equal(changed.plan, 'pro');
  const key = JSON.parse(
    (await longhand(environment, 'key', 'create', '--account', account.id, '--json')).stdout,
  );
  assert.match(key.key, /^lh_[0-9A-Za-z]{36}$/);
  assert.deepEqual([key.name, key.expires_at], ['key', null]);
  const listed = (await longhand(environment, 'key', 'list', '--account', account.id)).stdout;
  assert.ok(listed.includes(key.id) && !listed.includes(key.key));
});

test('a mistake is one sentence on standard error and a non-zero exit', async () => {
  const mistakes: [args: string[], sentence: RegExp][] = [
    [['account', 'create', 'x', '--plan', 'gold'], /There is no plan "gold"\. Plans: free, pro\./],
    [['account', 'create', ' '], /1 to 200 characters/],
    [['account', 'plan', 'nobody', 'pro'], /There is no account nobody/],
    [['key', 'create', '--account', '5b7cf6a5-1d3f-4a43-9a4c-4a6f2b0d5a55'], /There is no account/],
    [['key', 'revoke', 'nothing'], /There is no API key with the id nothing/],
    [['models', 'install', 'nothing'], /nothing/],
    [['transcribe', '/nowhere.mp3'], /There is no file "\/nowhere\.mp3"\./],
    [['transcribe', austen, '--format', 'pdf'], /--format must be one of/],
    [['serve', '--role', 'queen'], /--role must be one of all, api, worker/],
    [['dance'], /unknown command/],
  ];
  for (const [args, sentence] of mistakes) {
    const { code, stdout, stderr } = await longhand(environment, ...args);
    assert.notEqual(code, 0, args.join(' '));
    assert.equal(stdout, '');
    assert.match(stderr, sentence);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  }
});

test('a wrong setting stops the start with one sentence that names it', async () => {
  const wrong: Environment[] = [
    { LONGHAND_PORT: '70000' },
    { LONGHAND_STORAGE: 's3' },
    { LONGHAND_SECRET_KEY: 'short' },
    { LONGHAND_PLANS: '/nowhere.json' },
    { LONGHAND_FFMPEG: '/nowhere/ffmpeg' },
    { LONGHAND_FFPROBE: '/nowhere/ffprobe' },
    { LONGHAND_ENGINE: 'nowhere' },
    { LONGHAND_ENGINE: 'silero-vad' },
    { LONGHAND_DATA_DIR: '/proc/nowhere' },
    { LONGHAND_DATABASE_URL: 'postgres://me:short@127.0.0.1:1/longhand' },
    { LONGHAND_HOST: '192.0.2.1', LONGHAND_LOG_LEVEL: 'error' },
    { LONGHAND_TLS_CERT: '/nowhere.pem', LONGHAND_TLS_KEY: '/nowhere.pem' },
  ];
  for (const setting of wrong) {
    const [name = ''] = Object.keys(setting);
    const { code, stderr } = await longhand({ ...environment, ...setting }, 'serve');
    assert.equal(code, 1, name);
    assert.match(stderr, new RegExp(`^longhand: .*${name}.*\\n$`), stderr);
    assert.ok(!stderr.includes('short'), 'a secret is never shown');
  }
});

test('LONGHAND_API_KEY is given to the first account instead of a random key', async (t) => {
  const own: Environment = {
    ...environment,
    LONGHAND_DATA_DIR: await temporaryDataDir(t),
    LONGHAND_API_KEY: `lh_${'a'.repeat(36)}`,
  };
  const service = await startService(own);
  try {
    assert.doesNotMatch(service.output(), /lh_/);
    assert.equal(
      (await new ApiClient(service.url, own.LONGHAND_API_KEY).get('/api/v1/transcriptions')).status,
      200,
    );
  } finally {
    await service.stop();
  }
});

test('transcribe gives text, subtitles or JSON, on the embedded database, and keeps nothing', async () => {
  const text = await longhand(environment, 'transcribe', austen);
  assert.equal(text.code, 0, text.stderr);
  assert.match(text.stdout, /ill[- ]disposed young man/i);
  const srt = await longhand(environment, 'transcribe', austen, '--format', 'srt');
  assert.match(srt.stdout, /^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\n.+\n/);
  const output = join(dataDir, 'out.vtt');
  const vtt = await longhand(environment, 'transcribe', austen, '--format', 'vtt', '--output', output);
  assert.equal(vtt.stdout, '');
  assert.match(await readFile(output, 'utf8'), /^WEBVTT\n\n00:00:00\.\d{3} --> /);
  const json = JSON.parse((await longhand(environment, 'transcribe', austen, '--json')).stdout);
  assert.equal(json.duration_seconds, 2.99);
  assert.ok(Array.isArray(json.segments));
});

test('transcribe of a file that is no media fails with the sentence of the job', async () => {
  const file = join(dataDir, 'notes.mp3');
  await writeFile(file, 'nothing to hear here');
  const { code, stdout, stderr } = await longhand(environment, 'transcribe', file);
  assert.equal(code, 1);
  assert.equal(stdout, '');
  assert.match(stderr, /^longhand: [A-Z].*\.\n$/);
});

test('transcribe of silence gives nothing and succeeds', async () => {
  const file = join(dataDir, 'quiet.wav');
  await writeFile(file, wavBytes(2, 0));
  const { code, stdout } = await longhand(environment, 'transcribe', file);
  assert.deepEqual([code, stdout], [0, '']);
});

test('doctor looks at everything and says what to do', async () => {
  const { stdout, code } = await longhand(environment, 'doctor', '--json');
  const { ok, checks } = JSON.parse(stdout);
  assert.deepEqual([code, ok], [0, true], stdout);
  const names = checks.map(({ name }: { name: string }) => name);
  for (const name of [
    'node',
    'ffmpeg',
    'ffprobe',
    'yt-dlp',
    'models',
    'disk',
    'database',
    'secret key',
    'storage',
  ]) {
    assert.ok(names.includes(name), name);
  }
  const broken = await longhand({ ...environment, LONGHAND_FFMPEG: '/nowhere/ffmpeg' }, 'doctor');
  assert.equal(broken.code, 1);
  assert.match(broken.stdout, /PROBLEM +ffmpeg .*LONGHAND_FFMPEG/);
});
