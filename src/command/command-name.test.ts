import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { asTyped, commandName } from './command-name.ts';

test('commands in texts are named as the reader must type them', () => {
  const text =
    'Run "longhand key create", or npx longhand doctor; Longhand and src/longhand x stay. longhand: no';
  assert.equal(
    asTyped(text, 'npx longhand'),
    'Run "npx longhand key create", or npx longhand doctor; Longhand and src/longhand x stay. longhand: no',
  );
  assert.equal(
    asTyped(text, 'longhand'),
    'Run "longhand key create", or longhand doctor; Longhand and src/longhand x stay. longhand: no',
  );
});

test('the bare name is used where the command is installed', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-'));
  t.after(() => rm(directory, { recursive: true }));
  assert.equal(commandName([directory]), 'npx longhand');
  await writeFile(join(directory, 'longhand'), '');
  assert.equal(commandName([directory]), 'longhand');
});
