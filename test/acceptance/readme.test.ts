/** What the README tells a newcomer to paste works as it stands. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { runService } from '../support/service.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);
const key = `lh_${'f'.repeat(36)}`;
const stepsWithinMs = 120_000;

async function readme(): Promise<{ commands: string[]; steps: string }> {
  const text = await readFile(join(root, 'README.md'), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
  const commands = (blocks[0] ?? '').split('\n').map((line) => line.replace(/ *#.*/, ''));
  return { commands, steps: blocks.find((block) => block.startsWith('(')) ?? '' };
}

test('the first transcript of the README is made by any shell, and a wrong key stops with the sentence of the API', async (t) => {
  const service = await runService(t, { LONGHAND_API_KEY: key });
  const { steps } = await readme();
  const env = {
    PATH: process.env.PATH,
    API: `${service.url}/api/v1`,
    FILE: join(root, 'test', 'fixtures', 'austen-880.flac'),
  };
  const options = { timeout: stepsWithinMs };
  const { stdout, stderr } = await run('sh', ['-c', steps], { ...options, env: { ...env, KEY: key } });
  assert.match(stdout, /ill-disposed young man/i);
  assert.equal(stderr, '');
  const wrong = run('sh', ['-c', steps], { ...options, env: { ...env, KEY: 'lh_wrong' } });
  await assert.rejects(wrong, ({ code, stdout: said, stderr: error }: never) => {
    assert.deepEqual([code, said], [1, '']);
    assert.match(error, /^This API key is .*\.\n$/);
    return true;
  });
});

test('CI runs the test command of the README as it stands', async () => {
  const [, testCommand = ''] = (await readme()).commands;
  assert.match(testCommand, /npm test$/);
  const ci = await readFile(join(root, '.ci', 'run'), 'utf8');
  assert.ok(ci.split('\n').includes(testCommand), testCommand);
});
