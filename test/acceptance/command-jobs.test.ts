/** `longhand jobs`, `--version`, and how commands are named in what is printed. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { longhand, runService } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const service = await runService({ after });
const client = await newClient(service);
const jobs = async (...args: string[]) => {
  const { stdout, stderr } = await longhand(service.environment, 'jobs', '--json', ...args);
  assert.equal(stderr, '');
  return JSON.parse(stdout).jobs;
};

test('jobs shows state, account, age and failure, newest first, and filters', async () => {
  const quiet = await client.post('/api/v1/transcriptions', {
    upload: await client.upload('a.wav', wavBytes(1, 0)),
  });
  await client.ended(quiet.body.data.id);
  const damaged = await client.post('/api/v1/transcriptions', {
    source_url: 'https://www.youtube.com/playlist?list=PL1',
  });
  await client.ended(damaged.body.data.id);

  const all = await jobs();
  assert.deepEqual(
    all.map(({ id, state, percent }: Record<string, unknown>) => [id, state, percent]),
    [
      [damaged.body.data.id, 'failed', 100],
      [quiet.body.data.id, 'completed', 100],
    ],
  );
  const [failed] = all;
  assert.equal(failed.account_name, 'tester');
  assert.equal(failed.error_code, 'source_not_accepted');
  assert.match(failed.error, /\.$/);
  assert.ok(failed.age_seconds >= 0 && failed.stage === null);
  assert.deepEqual((await jobs('--state', 'completed')).length, 1);
  assert.deepEqual((await jobs('--limit', '1')).length, 1);
  assert.deepEqual((await jobs('--account', failed.account_id)).length, 2);
  assert.deepEqual(await jobs('--account', '5b7cf6a5-1d3f-4a43-9a4c-4a6f2b0d5a55'), []);

  const { stdout } = await longhand(service.environment, 'jobs');
  const [header = '', first = ''] = stdout.split('\n');
  assert.match(header, /^ID +STATE +STAGE +AGE +ACCOUNT +FILE +FAILURE$/);
  assert.match(first, /failed +\d+ s +tester +\S+ +source_not_accepted: [A-Z]/);
});

test('a wrong filter is refused', async () => {
  for (const args of [
    ['--state', 'done'],
    ['--limit', '0'],
    ['--account', 'me'],
  ]) {
    assert.equal((await longhand(service.environment, 'jobs', ...args)).code, 2);
  }
});

test('--version is the version of the package', async () => {
  const manifest = JSON.parse(await readFile(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));
  const { code, stdout } = await longhand(service.environment, '--version');
  assert.deepEqual([code, stdout], [0, `${manifest.version}\n`]);
});

test('commands are named as they are typed in this checkout', async () => {
  const help = await longhand(service.environment, 'transcribe', '--help');
  assert.match(help.stdout, /^Usage: npx longhand transcribe /);
  assert.match(help.stdout, /^ {2}npx longhand transcribe talk\.mp3/m);
  const mistake = await longhand(service.environment, 'key', 'revoke', 'nothing');
  assert.match(mistake.stderr, /"npx longhand key list" shows them\.\n$/);
});
