/** The edited text of a transcript, beside the machine's: what a second writer, a repeat and a stranger can do to it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { changeSegments, EditConflict } from '../../src/edition/change-segments.ts';
import type { EditionSegment, SegmentChange } from '../../src/edition/edition.ts';
import { exportTranscript } from '../../src/edition/export-transcript.ts';
import { heardWordsStore } from '../../src/edition/heard-words-store.ts';
import { importLines } from '../../src/edition/import-lines.ts';
import { mergeSpeakers, nameSpeaker } from '../../src/edition/name-speakers.ts';
import { publishEdition, withdrawEdition } from '../../src/edition/publish-edition.ts';
import { editionChanges, readEdition } from '../../src/edition/read-edition.ts';
import { replaceText } from '../../src/edition/replace-text.ts';
import { shiftTimes } from '../../src/edition/shift-times.ts';
import { defaultCueLimits } from '../../src/transcript/subtitle/cue-lines.ts';
import { transcript } from '../../src/transcript/transcript.ts';
import { chunkStore } from '../../src/transcription/step/chunk-store.ts';
import { transcriptionStore } from '../../src/transcription/transcription-store.ts';
import { completedJob, newPrincipal } from '../support/completed-job.ts';
import { openTestDatabase } from '../support/database.ts';
import { parsedSubtitles } from '../support/parsed-subtitles.ts';

const segments = [
  { start: 0, end: 4, text: 'Good morning, everyone.', speaker: 0 },
  { start: 4.5, end: 9, text: 'I sent the numbers on Friday.', speaker: 1 },
  { start: 12, end: 15, text: 'Can I ask what holds means?', speaker: 2 },
];

const db = await openTestDatabase({ after });

async function start() {
  const principal = await newPrincipal(db);
  const id = await completedJob(db, principal, segments);
  const read = async () => (await readEdition({ db }, principal, id)).segments;
  return { principal, id, read, deps: { db } };
}

function edited(segment: EditionSegment | undefined, text: string): SegmentChange {
  assert.ok(segment);
  const { id, revision, startMs, endMs, speaker } = segment;
  return { id, base: revision, deleted: false, startMs, endMs, text, speaker };
}

test('a transcript that nobody edited reads as the machine wrote it, and reading writes nothing', async () => {
  const { read, id } = await start();
  assert.deepEqual(
    (await read()).map(({ id, startMs, endMs, text, speaker }) => [id, startMs, endMs, text, speaker]),
    [
      ['m000000', 0, 4000, 'Good morning, everyone.', '0'],
      ['m000001', 4500, 9000, 'I sent the numbers on Friday.', '1'],
      ['m000002', 12000, 15000, 'Can I ask what holds means?', '2'],
    ],
  );
  assert.deepEqual(await db.query('select from edition where transcription_id = $1', [id]), []);
});

test('an edit is kept beside the text of the machine', async () => {
  const { deps, principal, id, read } = await start();
  const [, second] = await read();
  await changeSegments(deps, principal, { id, changes: [edited(second, 'I sent them on Friday.')] });
  assert.equal((await read())[1]?.text, 'I sent them on Friday.');
  const job = await transcriptionStore.findOwned(db, principal.account.id, id);
  assert.ok(job?.status === 'completed');
  assert.deepEqual(job.segments, segments);
});

test('of two tabs that change the same line the second is told what stands there, and nothing is lost', async () => {
  const { deps, principal, id, read } = await start();
  const [first, second] = await read();
  await changeSegments(deps, principal, { id, changes: [edited(second, 'From the first tab.')] });
  const both = [edited(first, 'Good evening.'), edited(second, 'From the second tab.')];
  await assert.rejects(changeSegments(deps, principal, { id, changes: both }), (error) => {
    assert.ok(error instanceof EditConflict);
    assert.deepEqual(
      error.current.map(({ id, segment }) => [id, segment?.text]),
      [['m000001', 'From the first tab.']],
    );
    return true;
  });
  assert.deepEqual((await read()).map(({ text }) => text).slice(0, 2), [
    'Good morning, everyone.',
    'From the first tab.',
  ]);
});

test('a call whose answer was lost can be sent again', async () => {
  const { deps, principal, id, read } = await start();
  const [first] = await read();
  const changes = [edited(first, 'Good evening.')];
  const written = await changeSegments(deps, principal, { id, changes });
  const repeated = await changeSegments(deps, principal, { id, changes });
  assert.equal(repeated.revision, written.revision);
  assert.deepEqual(repeated.segments, written.segments);
});

test('many writers of different lines at once all keep theirs', async () => {
  const { deps, principal, id, read } = await start();
  const lines = await read();
  await Promise.all(
    lines.map((line, i) => changeSegments(deps, principal, { id, changes: [edited(line, `Line ${i}`)] })),
  );
  assert.deepEqual(
    (await read()).map(({ text }) => text),
    ['Line 0', 'Line 1', 'Line 2'],
  );
});

test('a split and a join change all their lines or none', async () => {
  const { deps, principal, id, read } = await start();
  const [first, second] = await read();
  assert.ok(first && second);
  const half: SegmentChange = { ...edited(second, 'I sent'), deleted: false, endMs: 6000 } as SegmentChange;
  const rest: SegmentChange = {
    id: 'new-one',
    base: null,
    deleted: false,
    startMs: 6000,
    endMs: 9000,
    text: 'the numbers on Friday.',
    speaker: '1',
  };
  const { segments: written } = await changeSegments(deps, principal, { id, changes: [half, rest] });
  assert.deepEqual((await read()).map(({ text }) => text).slice(1, 3), ['I sent', 'the numbers on Friday.']);
  const joined = written.find((segment) => segment.id === 'new-one');
  const changes: SegmentChange[] = [
    { id: 'new-one', base: joined?.revision ?? 0, deleted: true },
    edited(first, 'stale'),
  ];
  await changeSegments(deps, principal, { id, changes: [edited(first, 'Newer')] });
  await assert.rejects(changeSegments(deps, principal, { id, changes }), EditConflict);
  assert.equal((await read()).length, 4);
});

test('an edit of a line that somebody deleted is told, and a deleted line can be brought back', async () => {
  const { deps, principal, id, read } = await start();
  const [, , third] = await read();
  assert.ok(third);
  const gone = await changeSegments(deps, principal, {
    id,
    changes: [{ id: third.id, base: third.revision, deleted: true }],
  });
  assert.equal((await read()).length, 2);
  await assert.rejects(
    changeSegments(deps, principal, { id, changes: [edited(third, 'Other words')] }),
    (error) => error instanceof EditConflict && error.current[0]?.segment?.isDeleted === true,
  );
  const back = { ...edited(third, third.text), base: gone.revision };
  await changeSegments(deps, principal, { id, changes: [back] });
  assert.equal((await read()).length, 3);
});

test('another tab learns what has changed since it last looked', async () => {
  const { deps, principal, id, read } = await start();
  const [first, second] = await read();
  const { revision } = await changeSegments(deps, principal, { id, changes: [edited(first, 'One')] });
  await changeSegments(deps, principal, {
    id,
    changes: [{ id: second?.id ?? '', base: second?.revision ?? 0, deleted: true }],
  });
  const changes = await editionChanges(deps, principal, { id, since: revision });
  assert.deepEqual(
    changes.segments.map(({ id, isDeleted }) => [id, isDeleted]),
    [['m000001', true]],
  );
});

test('speakers are named, renamed and merged, everywhere at once', async () => {
  const { deps, principal, id, read } = await start();
  await nameSpeaker(deps, principal, { id, speaker: '0', name: 'Amara' });
  const named = await nameSpeaker(deps, principal, { id, speaker: '1', name: 'Jonas' });
  assert.deepEqual(named.speakers, { 0: 'Amara', 1: 'Jonas' });
  const merged = await mergeSpeakers(deps, principal, { id, from: '2', into: '1' });
  assert.deepEqual(
    (await read()).map(({ speaker }) => speaker),
    ['0', '1', '1'],
  );
  assert.equal(merged.segments.length, 1);
});

test('find and replace takes one call and changes only what it finds', async () => {
  const { deps, principal, id, read } = await start();
  const pattern = { find: 'the', matchCase: false, wholeWords: true };
  const { segments: changed } = await replaceText(deps, principal, { id, pattern, replacement: '$& our' });
  assert.equal(changed.length, 1);
  assert.equal((await read())[1]?.text, 'I sent $& our numbers on Friday.');
});

test('times are shifted for a passage, never to before the beginning', async () => {
  const { deps, principal, id, read } = await start();
  await shiftTimes(deps, principal, { id, byMs: 1500, fromMs: 4000, toMs: 10_000 });
  assert.deepEqual(
    (await read()).map(({ startMs }) => startMs),
    [0, 6000, 12_000],
  );
  await assert.rejects(shiftTimes(deps, principal, { id, byMs: -1, fromMs: 0, toMs: null }), {
    code: 'invalid_request',
  });
});

test('the API gives the machine text until the edition is published, and again when that is withdrawn', async () => {
  const { deps, principal, id, read } = await start();
  const [first] = await read();
  await changeSegments(deps, principal, { id, changes: [edited(first, 'Good evening.')] });
  await nameSpeaker(deps, principal, { id, speaker: '0', name: 'Amara' });
  const fromApi = async () => {
    const job = await transcriptionStore.findOwned(db, principal.account.id, id);
    assert.ok(job?.status === 'completed');
    return job;
  };
  assert.equal((await fromApi()).segments[0]?.text, 'Good morning, everyone.');
  await publishEdition(deps, principal, id);
  assert.deepEqual((await fromApi()).segments[0], {
    start: 0,
    end: 4,
    text: 'Good evening.',
    speaker: 'Amara',
  });
  assert.match((await fromApi()).text, /^Good evening\. I sent the numbers on Friday\.\n\nCan I ask/);
  assert.equal(await transcriptionStore.words(db, id), null);
  await withdrawEdition(deps, principal, id);
  assert.deepEqual((await fromApi()).segments, segments);
});

test('the words of a stretch of the recording come with their times, in order', async () => {
  const { id } = await start();
  const words = await heardWordsStore.within(db, id, { fromMs: 4500, toMs: 9000 });
  assert.equal(
    words
      .map(([text]) => text)
      .join('')
      .trim(),
    'I sent the numbers on Friday.',
  );
});

test('another account finds nothing here, whatever it asks for', async () => {
  const { deps, id } = await start();
  const stranger = await newPrincipal(db);
  const attempts = [
    () => readEdition(deps, stranger, id),
    () => editionChanges(deps, stranger, { id, since: 0 }),
    () => changeSegments(deps, stranger, { id, changes: [{ id: 'm000000', base: 1, deleted: true }] }),
    () => nameSpeaker(deps, stranger, { id, speaker: '0', name: 'x' }),
    () => mergeSpeakers(deps, stranger, { id, from: '0', into: '1' }),
    () => shiftTimes(deps, stranger, { id, byMs: 5, fromMs: 0, toMs: null }),
    () => publishEdition(deps, stranger, id),
    () => withdrawEdition(deps, stranger, id),
    () => importLines(deps, stranger, { id, format: 'srt', content: srtFile }),
  ];
  for (const attempt of attempts) await assert.rejects(attempt(), { code: 'not_found' });
});

const srtFile = `1
00:00:01,000 --> 00:00:02,500
Amara: Good <i>evening</i>

2
00:00:03,000 --> 00:00:04,000
and all of you
`;

test('subtitles of somebody else take the place of the lines, with their speakers', async () => {
  const { deps, principal, id, read } = await start();
  await importLines(deps, principal, { id, format: 'srt', content: srtFile });
  const { speakers } = await readEdition(deps, principal, id);
  assert.deepEqual(
    (await read()).map(({ startMs, endMs, text, speaker }) => [
      startMs,
      endMs,
      text,
      speaker && speakers[speaker],
    ]),
    [
      [1000, 2500, 'Good evening', 'Amara'],
      [3000, 4000, 'and all of you', null],
    ],
  );
  const vtt = 'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Jonas>Hello &lt;all&gt;</v>\n';
  await importLines(deps, principal, { id, format: 'vtt', content: vtt });
  assert.deepEqual(
    (await read()).map(({ text }) => text),
    ['Hello <all>'],
  );
  await assert.rejects(importLines(deps, principal, { id, format: 'srt', content: 'not subtitles' }), {
    code: 'invalid_request',
  });
  await assert.rejects(importLines(deps, principal, { id, format: 'json', content: '{"segments":[{}]}' }), {
    code: 'invalid_request',
  });
});

test('every export holds the edited words and the names, and what is exported can be imported', async () => {
  const { deps, principal, id, read } = await start();
  const [first] = await read();
  await changeSegments(deps, principal, { id, changes: [edited(first, 'Good evening, everyone.')] });
  await nameSpeaker(deps, principal, { id, speaker: '0', name: 'Amara' });
  const exported = async (format: 'txt' | 'srt' | 'vtt' | 'json' | 'docx', isMachine = false) => {
    const options = {
      format,
      isMachine,
      hasTimes: true,
      limits: { ...defaultCueLimits, lineColumnsMax: 20 },
    };
    return (await exportTranscript(deps, principal, { id, title: 'board', options })).body;
  };
  assert.match(
    String(await exported('txt')),
    /^\[0:00\] Amara: Good evening, everyone\.\n\n\[0:04\] Speaker 2: I sent/,
  );
  assert.match(String(await exported('txt', true)), /Speaker 1: Good morning/);
  for (const format of ['srt', 'vtt'] as const) {
    const cues = await parsedSubtitles(String(await exported(format)), format);
    assert.match(cues[0]?.text ?? '', /Amara/);
    assert.ok(
      cues.every(({ text }) =>
        text
          .replaceAll(/<[^>]*>/g, '')
          .split('\n')
          .every((line) => line.length <= 20),
      ),
    );
  }
  const docx = await exported('docx');
  assert.ok(Buffer.isBuffer(docx) && docx.subarray(0, 2).toString() === 'PK');
  await importLines(deps, principal, { id, format: 'json', content: String(await exported('json')) });
  assert.equal((await read())[0]?.text, 'Good evening, everyone.');
});

test('files that are imported again and again do not fill the database', async () => {
  const { deps, principal, id, read } = await start();
  const line = (index: number) => ({ start: index, end: index + 1, text: 'word '.repeat(1_999).trim() });
  const content = JSON.stringify({ segments: Array.from({ length: 600 }, (_, index) => line(index)) });
  await importLines(deps, principal, { id, format: 'json', content });
  await assert.rejects(importLines(deps, principal, { id, format: 'json', content }), {
    code: 'invalid_request',
  });
  assert.equal((await read()).length, 600);
});

test('lines are edited while the rest is made; at the end edits stay and the rest is there', async () => {
  const principal = await newPrincipal(db);
  const id = await completedJob(db, principal, []);
  await db.query(
    `update transcription set status = 'processing', finished_at = null, text = null, segments = null,
       chunks_total = 4, chunks_left = 0 where id = $1`,
    [id],
  );
  const said = (startSample: number, text: string) => {
    const span = { startSample, endSample: startSample + 32_000 };
    return { ...span, spans: [span], text, language: 'en' };
  };
  const chunk = (index: number, text: string) => ({
    engine: 'test',
    utterances: [said(index * 64_000, text)],
  });
  const add = async (index: number, text: string) => {
    await db.query(`insert into chunk (transcription_id, index, plan) values ($1, $2, '{}')`, [id, index]);
    await chunkStore.markDone(db, id, index, chunk(index, text));
  };
  const spoken = ['Good morning.', 'I sent the numbers.', 'What does it mean?'];
  for (const [i, text] of spoken.slice(0, 2).entries()) await add(i, text);
  const live = { base: 0, deleted: false, speaker: null } as const;
  const first = { ...live, id: 'm000000', startMs: 0, endMs: 2000, text: 'Good evening.' };
  await changeSegments({ db }, principal, { id, changes: [first] });
  // A line that came after the edition was begun.
  await add(2, spoken[2] ?? '');
  await add(3, 'And so on.');
  const third = { ...live, id: 'm000002', startMs: 8000, endMs: 10_000, text: 'What does holds mean?' };
  await changeSegments({ db }, principal, { id, changes: [third] });
  const early = { id, format: 'srt' as const, content: '1\n00:00:00,000 --> 00:00:01,000\nx\n' };
  await assert.rejects(importLines({ db }, principal, early), /still being made/);
  assert.deepEqual(
    (await editionChanges({ db }, principal, { id, since: 1 })).segments.map(({ text }) => text),
    ['Good evening.', 'What does holds mean?'],
  );
  const whole = transcript([...spoken, 'And so on.'].map((text, i) => said(i * 64_000, text)));
  await transcriptionStore.markCompleted(db, id, whole);
  const { segments: complete, revision } = await readEdition({ db }, principal, id);
  assert.deepEqual(
    complete.map(({ text }) => text),
    ['Good evening.', 'I sent the numbers.', 'What does holds mean?', 'And so on.'],
  );
  const again = await readEdition({ db }, principal, id);
  assert.equal(again.revision, revision);
});
