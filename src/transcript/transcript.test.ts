import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleRate } from '../timeline/sample-rate.ts';
import type { SpeechSpan } from '../timeline/span.ts';
import type { RecognisedUtterance } from '../timeline/utterance.ts';
import { LiveTranscript, textOf, transcript } from './transcript.ts';

const span = (startSeconds: number, endSeconds: number): SpeechSpan => ({
  startSample: Math.round(startSeconds * sampleRate),
  endSample: Math.round(endSeconds * sampleRate),
});

function utterance(text: string, ...spans: SpeechSpan[]): RecognisedUtterance {
  const startSample = spans[0]?.startSample ?? 0;
  const endSample = spans.at(-1)?.endSample ?? 0;
  return { startSample, endSample, spans, text, language: 'en' };
}

test('nothing recognised is an empty text without segments and words', () => {
  const nothing = { text: '', segments: [], words: [], language: null, unclear: [] };
  assert.deepEqual(transcript([]), nothing);
  assert.deepEqual(transcript([utterance('', span(1, 2))]), nothing);
});

test('each sentence is a segment, and its times follow the pauses of the speech', () => {
  const { segments, text } = transcript([
    utterance('He was not an ill man. Mr. Smith had married, too.', span(0.5, 2.4), span(3.2, 5.6)),
  ]);
  assert.deepEqual(segments, [
    { start: 0.5, end: 2.4, text: 'He was not an ill man.', language: 'en' },
    { start: 3.2, end: 5.6, text: 'Mr. Smith had married, too.', language: 'en' },
  ]);
  assert.equal(text, 'He was not an ill man. Mr. Smith had married, too.');
});

test('a sentence that runs over two chunks becomes one segment', () => {
  const { segments } = transcript([
    utterance('and so, my fellow', span(0, 2)),
    utterance('Americans, ask not.', span(2.3, 4)),
  ]);
  assert.deepEqual(segments, [
    { start: 0, end: 4, text: 'And so, my fellow Americans, ask not.', language: 'en' },
  ]);
});

test('a long sentence is split at clauses: no segment over 12 s or 200 characters, none overlapping', () => {
  const clause = 'It was the age of wisdom and of foolishness';
  const long = utterance(
    `${Array.from({ length: 20 }, () => clause).join(', ')}.`,
    ...Array.from({ length: 20 }, (_, i) => span(i * 3, i * 3 + 2.5)),
  );
  const { segments, text } = transcript([long]);
  assert.equal(text, long.text);
  assert.equal(segments.map((segment) => segment.text).join(' '), long.text);
  let previousEnd = 0;
  for (const segment of segments) {
    assert.ok(segment.text.length <= 200 && segment.end - segment.start <= 12);
    assert.ok(segment.start >= previousEnd && segment.end > segment.start);
    assert.match(segment.text, /[,.]$/);
    previousEnd = segment.end;
  }
});

test('a long pause begins a paragraph', () => {
  const { text } = transcript([
    utterance('First part.', span(0, 1)),
    utterance('Still first.', span(1.5, 2.5)),
    utterance('Second part.', span(6, 7)),
  ]);
  assert.equal(text, 'First part. Still first.\n\nSecond part.');
});

test('words of a script without spaces are joined without spaces', () => {
  const { text, segments } = transcript([
    utterance('今日は天気がいいです。', span(0, 2)),
    utterance('明日は雨です。', span(2.3, 4)),
  ]);
  assert.equal(text, '今日は天気がいいです。明日は雨です。');
  assert.equal(segments.length, 2);
});

test('a change of speaker ends a segment', () => {
  const { segments } = transcript(
    [utterance('are you there yes I am', span(0, 1.5), span(2, 3))],
    [
      { ...span(0, 1.6), speaker: 0 },
      { ...span(1.9, 3), speaker: 1 },
    ],
  );
  assert.deepEqual(
    segments.map(({ speaker, text }) => [speaker, text]),
    [
      [0, 'Are you there'],
      [1, 'yes I am'],
    ],
  );
});

test('a word that is heard in the pause after an utterance is of who spoke it', () => {
  const heard = {
    ...utterance('for them', span(0, 1)),
    words: [
      { text: ' for', ...span(0.6, 1.1) },
      { text: ' them', ...span(1.5, 1.7) },
    ],
  };
  const turns = [
    { ...span(0, 1), speaker: 0 },
    { ...span(1.8, 3), speaker: 1 },
  ];
  const { words } = transcript([heard, utterance('drop it', span(1.8, 3))], turns);
  assert.deepEqual(
    words.map(([text, , , speaker]) => `${speaker}${text}`),
    ['0 For', '0 them', '1 drop', '1 it'],
  );
});

test('every word comes with its times, within its segment, and with its speaker', () => {
  const { text, segments, words } = transcript(
    [utterance('are you there. yes, I am.', span(0, 1.5), span(2, 3)), utterance('good.', span(3.5, 4))],
    [
      { ...span(0, 1.6), speaker: 0 },
      { ...span(1.9, 4), speaker: 1 },
    ],
  );
  assert.equal(words.map(([word]) => word).join(''), ` ${text}`);
  assert.equal(text, 'Are you there. Yes, I am. Good.');
  assert.deepEqual(
    words.map(([, , , speaker]) => speaker),
    [0, 0, 0, 1, 1, 1, 1],
  );
  let previousEnd = 0;
  for (const [, startMs, endMs] of words) {
    assert.ok(startMs >= previousEnd && endMs >= startMs);
    previousEnd = endMs;
    assert.ok(segments.some(({ start, end }) => start * 1000 <= startMs && endMs <= end * 1000));
  }
});

test('ten hours of results are assembled in linear time and memory', () => {
  const utterances = Array.from({ length: 4000 }, (_, i) =>
    utterance(
      `Sentence number ${i} of a long meeting.`,
      span(i * 9, i * 9 + 4),
      span(i * 9 + 4.3, i * 9 + 8),
    ),
  );
  assert.equal(transcript(utterances).segments.length, 4000);
});

test('what is given while utterances come is, put together, the whole transcript, however they are divided', () => {
  const sentences = [
    'It was late.',
    'Mr. Bell had gone',
    'home, though nobody',
    'knew. 今日は',
    '晴れです。',
    'So it',
  ];
  const utterances = sentences.map((text, i) =>
    utterance(text, span(i * 3.2, i * 3.2 + (i === 3 ? 0.9 : 2.9))),
  );
  const live = new LiveTranscript();
  const given = [...utterances.flatMap((utterance) => live.add(utterance)), ...live.end()];
  const whole = transcript(utterances);
  assert.equal(textOf(given), whole.text);
  assert.deepEqual(
    given.map(({ segment }) => segment),
    whole.segments,
  );
  assert.deepEqual(new LiveTranscript().add(utterance('It was late.', span(0, 1))).length, 1);
  assert.deepEqual(new LiveTranscript().add(utterance('It was', span(0, 1))).length, 0);
});
