import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { SettledFiles } from './settled-files.ts';

test('a recording is settled when it has not changed for the given time, however long it grew before', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-'));
  t.after(() => rm(folder, { recursive: true }));
  const clock = new ManualClock();
  const files = new SettledFiles(folder, { settleMs: 5_000, clock });
  const settled = async () => (await files.scan()).settled.map(({ path }) => path);
  const talk = join(folder, 'talk.mp3');
  await writeFile(talk, 'a');
  assert.deepEqual(await settled(), []);
  for (let step = 0; step < 5; step++) {
    await clock.advance(4_000);
    await appendFile(talk, 'more');
    assert.deepEqual(await settled(), [], 'it grew');
  }
  await clock.advance(4_999);
  assert.deepEqual(await settled(), []);
  await clock.advance(1);
  assert.deepEqual(await settled(), ['talk.mp3']);
  await appendFile(talk, 'again');
  assert.deepEqual(await settled(), []);
});

test('what is hidden, empty or no media is never settled', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'longhand-'));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, '.sync'));
  for (const name of ['.part.mp3', join('.sync', 'a.mp3'), 'talk.txt', 'talk.mp3.part'])
    await writeFile(join(folder, name), 'x');
  await writeFile(join(folder, 'empty.mp3'), '');
  const clock = new ManualClock();
  const files = new SettledFiles(folder, { settleMs: 1_000, clock });
  await files.scan();
  await clock.advance(2_000);
  assert.deepEqual(await files.scan(), { settled: [], unsettled: 0 });
});
