import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { CommandFailure } from '../command-failure.ts';
import type { FinishedJob } from '../transcribe/job-runner.ts';
import { Inbox, type InboxEvent } from './inbox.ts';
import type { FoundFile } from './settled-files.ts';
import { journalPath, WatchJournal } from './watch-journal.ts';

const directory = await mkdtemp(join(tmpdir(), 'longhand-'));
after(() => rm(directory, { recursive: true }));
const finished: FinishedJob = { durationSeconds: 1, text: 'Spoken.', segments: [], words: [] };

/** A folder with recordings and an inbox over it, whose jobs end as `run` says. */
async function inboxWith(
  name: string,
  paths: readonly string[],
  run: (path: string) => Promise<FinishedJob>,
) {
  const folder = await mkdtemp(join(directory, name));
  for (const path of paths) await writeFile(join(folder, path), 'x');
  const files: FoundFile[] = await Promise.all(
    paths.map(async (path) => {
      const { size: sizeBytes, mtimeMs } = await stat(join(folder, path));
      return { path, sizeBytes, mtimeMs };
    }),
  );
  const clock = new ManualClock();
  const told: InboxEvent[] = [];
  const open = async () =>
    new Inbox({
      folder,
      outputFolder: folder,
      format: 'txt',
      jobOptions: { language: null, speakers: false, speakerCount: null, keywords: [], verbatim: false },
      runner: { run: ({ relativePath }) => run(relativePath), close: async () => {} },
      journal: await WatchJournal.open(join(directory, 'state'), [folder]),
      clock,
      parallel: 2,
      tell: (event) => told.push(event),
    });
  const { signal } = new AbortController();
  const take = async (inbox: Inbox) => {
    inbox.take(files, { signal, onEnd: () => {} });
    await inbox.ended();
  };
  return { folder, clock, told, open, take };
}

test('a fault that may pass is tried again a few times, later and later, and then counts as failed', async () => {
  let tries = 0;
  const { clock, told, open, take } = await inboxWith('faults', ['talk.mp3'], async () => {
    tries += 1;
    throw new CommandFailure('Nobody answers.', { retryAfterMs: 0 });
  });
  const inbox = await open();
  for (let hour = 0; hour < 30; hour++) {
    await take(inbox);
    await take(inbox); // Too early.
    await clock.advance(1_800_000);
  }
  assert.equal(tries, 8);
  assert.deepEqual(told.map(({ kind }) => kind).slice(-2), ['postponed', 'failed']);
  await take(await open());
  assert.equal(tries, 8, 'another run does not begin again');
});

test('what failed for good is not tried again, and the others are still worked on', async () => {
  const tried: string[] = [];
  const { folder, told, open, take } = await inboxWith('mixed', ['a.mp3', 'b.mp3', 'c.mp3'], async (path) => {
    tried.push(path);
    if (path === 'a.mp3') throw new CommandFailure('It is no recording.');
    return finished;
  });
  const inbox = await open();
  await take(inbox);
  await take(inbox);
  await take(await open());
  assert.deepEqual(tried.toSorted(), ['a.mp3', 'b.mp3', 'c.mp3']);
  assert.deepEqual(told.map(({ path, kind }) => `${path} ${kind}`).toSorted(), [
    'a.mp3 failed',
    'b.mp3 done',
    'c.mp3 done',
  ]);
  assert.equal(await readFile(join(folder, 'b.txt'), 'utf8'), 'Spoken.\n');
});

test('recordings that would share a name get one each', async () => {
  const { told, open, take } = await inboxWith('names', ['talk.mp3', 'talk.mp4'], async () => finished);
  await take(await open());
  assert.deepEqual(told.map(({ output }) => output.slice(output.lastIndexOf('/') + 1)).toSorted(), [
    'talk.mp4.txt',
    'talk.txt',
  ]);
});

test('a journal that cannot be read is named instead of beginning anew', async () => {
  const state = await mkdtemp(join(directory, 'state-'));
  const journal = await WatchJournal.open(state, ['f']);
  await journal.set('a.mp3', journal.begun('a.mp3', { sizeBytes: 1, mtimeMs: 1 }, '/a.txt'));
  await writeFile(journalPath(state, ['f']), '{"files":');
  await assert.rejects(WatchJournal.open(state, ['f']), /cannot be read: repair or delete/);
});
