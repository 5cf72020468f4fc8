import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Recording } from './recordings.ts';
import { namesFor, plannedFiles } from './transcript-file.ts';

const directory = await mkdtemp(join(tmpdir(), 'longhand-'));
after(() => rm(directory, { recursive: true }));
const talk = join(directory, 'talk.mp3');
await writeFile(talk, 'x');
const recording: Recording = {
  name: 'talk.mp3',
  label: 'talk.mp3',
  relativePath: 'talk.mp3',
  media: { kind: 'file', path: talk, sizeBytes: 1 },
};

function names(...paths: string[]): string[] {
  return namesFor(
    paths.map((relativePath) => ({ relativePath })),
    'srt',
  );
}

test('a transcript is named after its recording, and no two share a name', () => {
  assert.deepEqual(names('talk.mp3', 'day 1/talk.mp3', 'Meeting 12.05'), [
    'talk.srt',
    'day 1/talk.srt',
    'Meeting 12.05.srt',
  ]);
  assert.deepEqual(names('talk.mp3', 'Talk.wav', 'other.mp4'), ['talk.mp3.srt', 'Talk.wav.srt', 'other.srt']);
  assert.deepEqual(names('talk.mp3', 'talk.mp3', 'talk.mp3'), [
    'talk.mp3.srt',
    'talk.mp3-2.srt',
    'talk.mp3-3.srt',
  ]);
});

test('where a transcript cannot go is said before the work', async () => {
  await mkdir(join(directory, 'folder'));
  await symlink(talk, join(directory, 'link.txt'));
  const cases: [options: { output?: string; outputDir?: string }, sentence: RegExp][] = [
    [{ output: join(directory, 'nowhere', 'x.txt') }, /There is no folder ".*nowhere" to write to\./],
    [{ output: join(directory, 'folder') }, /is a folder; name a file/],
    [{ output: talk }, /would overwrite the recording "talk\.mp3"/],
    [{ output: join(directory, 'link.txt') }, /would overwrite the recording/],
    [{ outputDir: talk }, /cannot be made: there is a file of that name\./],
    [{ outputDir: join(talk, 'below') }, /cannot be made: a part of the path is a file\./],
    [{ output: 'a', outputDir: 'b' }, /exclude each other/],
  ];
  for (const [options, sentence] of cases) {
    await assert.rejects(plannedFiles([recording], options, 'txt'), { message: sentence, exitCode: 2 });
  }
});

test('a folder for transcripts is made, and standard output needs none', async () => {
  const made = join(directory, 'new', 'texts');
  assert.deepEqual(await plannedFiles([recording], { outputDir: made }, 'vtt'), [join(made, 'talk.vtt')]);
  assert.equal(await plannedFiles([recording], {}, 'txt'), undefined);
});
