import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { longhand, testEnvironment } from '../support/service.ts';

test('a model that only a level of accuracy asks for is missed in one line, and keeps no other out', async (t) => {
  const environment = await testEnvironment(t, {
    LONGHAND_ACCURACY: 'fast',
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_fetch_retries: '0',
  });
  // An empty folder: it is not installed, whatever this machine has.
  await mkdir(join(environment.LONGHAND_DATA_DIR ?? '', 'models', 'whisper-tiny'), { recursive: true });
  const { code, stdout, stderr } = await longhand(environment, 'models', 'install', '--default');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^whisper-tiny could not be installed; whisper-base recognises [^\n]*\n$/);
  assert.match(stdout, /^Already installed: .*moonshine-base.*\.\n$/);
  const named = await longhand(environment, 'models', 'install', 'whisper-tiny');
  assert.equal(named.code, 1);
});
