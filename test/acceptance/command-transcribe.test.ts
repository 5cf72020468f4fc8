/** `longhand transcribe` with everything a person may name. */
import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { onTerminal, startCommand } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { longhand, testEnvironment } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const environment = await testEnvironment({ after });
const directory = await mkdtemp(join(tmpdir(), 'longhand-'));
after(() => rm(directory, { recursive: true }));
const transcribe = (...args: string[]) => longhand(environment, 'transcribe', '--language', 'en', ...args);

const interviews = join(directory, 'interviews');
await mkdir(join(interviews, 'day 2'), { recursive: true });
await copyFile(austen, join(interviews, 'first.flac'));
await copyFile(austen, join(interviews, 'day 2', 'second.flac'));
await writeFile(join(interviews, 'broken.mp3'), 'nothing to hear here');
await writeFile(join(interviews, 'readme.txt'), 'no media');

test('a folder becomes a folder of transcripts; one that fails does not stop the others', async () => {
  const texts = join(directory, 'texts');
  const { code, stdout, stderr } = await transcribe(interviews, '--output-dir', texts, '--format', 'srt');
  assert.deepEqual([code, stdout], [1, ''], stderr);
  assert.deepEqual((await readdir(texts, { recursive: true })).toSorted(), [
    'day 2',
    join('day 2', 'second.srt'),
    'first.srt',
  ]);
  assert.match(await readFile(join(texts, 'first.srt'), 'utf8'), /^1\n00:00:0/);
  assert.match(stderr, /^longhand: .*broken\.mp3: [A-Z].*\.$/m);
  assert.match(stderr, /first\.flac → .*first\.srt$/m);
  assert.match(stderr, /longhand: 1 of 3 recordings failed\.\n$/);
});

test('several recordings on standard output come in order, each under its name', async () => {
  const [one, two] = [join(interviews, 'first.flac'), join(interviews, 'day 2', 'second.flac')];
  const { code, stdout, stderr } = await transcribe(two, one, '/nowhere.mp3');
  assert.equal(code, 1);
  assert.match(stdout, /^==> .*second\.flac <==\n.*young man.*\n\n==> .*first\.flac <==\n.*young man/is);
  assert.match(stderr, /^longhand: There is no file "\/nowhere\.mp3"\.$/m);
});

test('with --json several recordings are one object, failures included', async () => {
  const { code, stdout } = await transcribe(
    join(interviews, 'first.flac'),
    join(interviews, 'broken.mp3'),
    '--json',
  );
  const { transcriptions, failed } = JSON.parse(stdout);
  assert.deepEqual([code, failed, transcriptions.length], [1, 1, 2]);
  assert.match(transcriptions[0].text, /young man/i);
  assert.equal(transcriptions[0].error, null);
  assert.match(transcriptions[1].error, /\.$/);
});

test('standard input is a recording like any other', async () => {
  const { code, stdout, stderr } = await startCommand(environment, ['transcribe', '-', '--language', 'en'], {
    inputFile: austen,
  }).result;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /young man/i);
});

test('--follow shows the text while it is made', async () => {
  const [whole, followed] = [await transcribe(austen), await transcribe(austen, '--follow')];
  assert.deepEqual([followed.code, followed.stdout], [0, whole.stdout], followed.stderr);
});

test('empty standard input is an error of one sentence', async () => {
  const { code, stderr } = await startCommand(environment, ['transcribe', '-']).result;
  assert.deepEqual([code, stderr], [1, 'longhand: Nothing came from standard input.\n']);
});

test('the name of --output chooses the format', async () => {
  for (const [name, begin] of [
    ['a.vtt', /^WEBVTT\n/],
    ['a.JSON', /^{"duration_seconds":2\.99,/],
  ] as const) {
    const output = join(directory, name);
    assert.equal((await transcribe(austen, '--output', output)).code, 0);
    assert.match(await readFile(output, 'utf8'), begin);
  }
});

test('what was typed wrong ends with 2 before any work, in one sentence', async () => {
  const mistakes: [args: string[], sentence: RegExp][] = [
    [[], /missing required argument/],
    [
      [austen, '--output', join(directory, 'talk.docx')],
      /"\.docx" is no format; choose one of txt, srt, vtt, json/,
    ],
    [[austen, '--output', join(directory, 'nowhere', 'talk.txt')], /There is no folder/],
    [[austen, interviews, '--output', 'x.txt'], /use --output-dir/],
    [[interviews, '--format', 'vtt'], /need a folder: use --output-dir/],
    [[austen, '--format', 'txt', '--output', austen], /would overwrite the recording/],
    [['/nowhere.mp3'], /There is no file/],
    [[austen, '--follow', '--speakers'], /Speakers are known only at the end/],
    [[austen, '--wings'], /unknown option '--wings'/],
  ];
  for (const [args, sentence] of mistakes) {
    const { code, stdout, stderr } = await longhand(environment, 'transcribe', ...args);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, /^longhand: [^\n]*\n$/);
    assert.match(stderr, sentence);
  }
});

test('speakers are counted from 1 for people, and from 0 for programs', async () => {
  const file = join(import.meta.dirname, '..', 'fixtures', 'austen-870.flac');
  const json = JSON.parse((await transcribe(file, '--speakers', '--json')).stdout);
  assert.equal(json.segments[0].speaker, 0);
  assert.match((await transcribe(file, '--speakers', '--format', 'srt')).stdout, /\nSpeaker 1: /);
});

test('an interrupted command leaves no job behind and ends with 130', async () => {
  const long = join(directory, 'long.wav');
  await writeFile(long, wavBytes(600, 0.2));
  const { child, result } = startCommand(environment, ['transcribe', long, '--language', 'en']);
  await eventually(async () => {
    const { jobs } = JSON.parse(
      (await longhand(environment, 'jobs', '--state', 'processing', '--json')).stdout,
    );
    return jobs.length > 0 ? true : undefined;
  }, 'the job to be there');
  child.kill('SIGINT');
  const { code, stderr } = await result;
  assert.deepEqual([code, stderr], [130, 'longhand: Interrupted; what was not written yet is not kept.\n']);
  assert.equal((await longhand(environment, 'jobs')).stdout, 'There are no such jobs.\n');
});

test('a terminal shows elapsed and remaining time at once, and nothing of it at the end', async () => {
  const drawn = await onTerminal(environment, ['transcribe', austen, '--language', 'en']);
  const [, first = ''] = drawn.split('\r');
  assert.match(first, /^░{20} {3}0 % {2}0:00, about \d+ s left {2}starting/);
  assert.match(
    drawn,
    /\d+ % {2}\d+:\d\d, about \d+ s left {2}(waiting|reading|decoding|transcribing) austen-880\.flac/,
  );
  assert.ok(drawn.endsWith('\r\x1b[K'));
});
