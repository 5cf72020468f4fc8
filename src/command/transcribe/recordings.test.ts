import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readConfig } from '../../config.ts';
import { recordingsOf } from './recordings.ts';

const directory = await mkdtemp(join(tmpdir(), 'longhand-'));
after(() => rm(directory, { recursive: true }));
const config = readConfig({});
const put = (path: string, content = 'x') => writeFile(join(directory, path), content);
for (const folder of ['day 1', '.cache', 'empty']) await mkdir(join(directory, folder));
await put('b.mp3');
await put('a.WAV');
await put('notes.txt');
await put('silent.ogg', '');
await put('day 1/c.mkv');
await put('.cache/d.mp3');
await put('.hidden.mp3');
await symlink(directory, join(directory, 'day 1', 'loop'));

test('a folder gives every recording in it and below, in order, without what is hidden, empty or no media', async () => {
  const { recordings, unusable, isSingle } = await recordingsOf([directory], config);
  assert.deepEqual(
    recordings.map(({ relativePath }) => relativePath),
    ['a.WAV', 'b.mp3', join('day 1', 'c.mkv')],
  );
  assert.deepEqual([unusable, isSingle], [[], false]);
});

test('a file that is named twice, once in its folder, is worked on once', async () => {
  const { recordings } = await recordingsOf([join(directory, 'b.mp3'), directory], config);
  assert.equal(recordings.length, 3);
});

test('one file or link stands alone, whatever its name', async () => {
  for (const name of [join(directory, 'notes.txt'), 'https://example.com/talk.mp3']) {
    const { recordings, isSingle } = await recordingsOf([name], config);
    assert.deepEqual([recordings.length, isSingle], [1, true], name);
  }
});

test('what cannot be used is named with its reason, beside what can', async () => {
  const given = ['b.mp3', 'silent.ogg', 'nowhere.mp3', 'empty'].map((name) => join(directory, name));
  const { recordings, unusable } = await recordingsOf([...given, 'http://127.0.0.1/x.mp3'], config);
  assert.equal(recordings.length, 1);
  assert.deepEqual(
    unusable.map(({ reason }) => reason.replace(/".*"/, '…')),
    [
      'The file … is empty.',
      'There is no file ….',
      'There is no recording in the folder ….',
      unusable[3]?.reason,
    ],
  );
  assert.match(unusable[3]?.reason ?? '', /^This link cannot be opened: .*\.$/);
});

test('standard input is named once', async () => {
  await assert.rejects(recordingsOf(['-', '-'], config), /once only/);
});
