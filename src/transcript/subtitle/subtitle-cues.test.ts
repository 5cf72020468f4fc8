import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TranscriptWord } from '../transcript-word.ts';
import { type Cue, subtitleCues } from './subtitle-cues.ts';

interface Talk {
  /** Characters for each second of speech. */
  rate: number;
  seconds: number;
  speakers?: number;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Sentences of clauses of words, with pauses between them; the same for the same seed. */
function talk(seed: number, { rate, seconds, speakers = 0 }: Talk): TranscriptWord[] {
  const random = seeded(seed);
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const words: TranscriptWord[] = [];
  let atMs = between(0, 3000);
  let speaker = 0;
  while (atMs < seconds * 1000) {
    if (speakers > 0 && random() < 0.4) speaker = between(0, speakers - 1);
    const clauses = between(1, 4);
    for (let clause = 1; clause <= clauses; clause++) {
      const count = between(1, 9);
      for (let i = 1; i <= count; i++) {
        const mark = i < count ? '' : clause < clauses ? ',' : '.';
        const text = ` ${'abcdefghijklmnop'.slice(0, between(1, 12))}${mark}`;
        const endMs = atMs + Math.round((1000 * text.length) / (rate * (0.8 + 0.4 * random())));
        words.push(speakers > 0 ? [text, atMs, endMs, speaker] : [text, atMs, endMs]);
        atMs = endMs;
      }
      atMs += random() < 0.5 ? 0 : between(50, 400);
    }
    atMs += random() < 0.2 ? between(1000, 9000) : between(100, 800);
  }
  return words;
}

const textOf = (cue: Cue) => cue.lines.join(' ');
const secondsOf = ({ startMs, endMs }: Cue) => (endMs - startMs) / 1000;

function assertWellFormed(words: readonly TranscriptWord[], cues: readonly Cue[]): void {
  const spoken = words.map(([text]) => text).join('');
  assert.equal(cues.map(textOf).join('').replaceAll(' ', ''), spoken.replaceAll(' ', ''));
  let previousEndMs = -1;
  for (const cue of cues) {
    assert.ok(cue.lines.length === 1 || cue.lines.length === 2);
    for (const line of cue.lines) assert.ok(line.length > 0 && line.length <= 42, line);
    assert.ok(cue.startMs > previousEndMs, `${cue.startMs} after ${previousEndMs}`);
    assert.ok(cue.endMs > cue.startMs && secondsOf(cue) <= 7, `${secondsOf(cue)} s`);
    previousEndMs = cue.endMs;
  }
}

function assertReadable(cues: readonly Cue[]): void {
  for (const cue of cues) {
    assert.ok(secondsOf(cue) >= 1, `${secondsOf(cue)} s: ${textOf(cue)}`);
    const charactersPerSecond = textOf(cue).length / secondsOf(cue);
    assert.ok(charactersPerSecond <= 20, `${charactersPerSecond} a second: ${textOf(cue)}`);
  }
}

test('subtitles of ordinary talk have two lines of 42 characters, 1 to 7 s, at most 20 characters a second', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const words = talk(seed, { rate: 8 + (seed % 10), seconds: 200 });
    const cues = subtitleCues(words);
    assertWellFormed(words, cues);
    assertReadable(cues);
  }
});

test('every subtitle has one speaker, and begins within a second of its words', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const words = talk(seed, { rate: 13, seconds: 200, speakers: 3 });
    const cues = subtitleCues(words);
    assertWellFormed(words, cues);
    let next = 0;
    for (const cue of cues) {
      let text = '';
      const [, startMs = 0] = words[next] ?? [];
      assert.ok(cue.startMs >= startMs && cue.startMs <= startMs + 1000);
      while (text.trim() !== textOf(cue)) {
        const [word, , , speaker] = words[next++] ?? [''];
        assert.equal(speaker, cue.speaker);
        text += word;
      }
    }
  }
});

test('most cuts lie at the end of a sentence or a clause, and hardly any subtitle is a word that belongs to others', () => {
  let cuts = 0;
  let good = 0;
  let orphans = 0;
  for (let seed = 1; seed <= 30; seed++) {
    const cues = subtitleCues(talk(seed, { rate: 14, seconds: 200 }));
    cuts += cues.length;
    good += cues.filter((cue) => /[.,]$/.test(textOf(cue))).length;
    orphans += cues.filter((cue) => !textOf(cue).includes(' ') && !/\.$/.test(textOf(cue))).length;
  }
  assert.ok(good / cuts > 0.8, `${good} of ${cuts} cuts`);
  assert.ok(orphans / cuts < 0.01, `${orphans} of ${cuts} subtitles`);
});

test('speech that is too fast to be read keeps its words, its order and its time', () => {
  for (let seed = 1; seed <= 30; seed++) {
    const words = talk(seed, { rate: 30 + seed, seconds: 60, speakers: seed % 3 });
    assertWellFormed(words, subtitleCues(words));
  }
});

test('words without length, of the same time and longer than a line are shown', () => {
  const words: TranscriptWord[] = [
    [' one', 0, 0],
    [' two', 0, 0],
    [` ${'x'.repeat(200)}`, 0, 4000],
    [' three.', 4000, 4000],
    [' four', 4000, 60_000],
  ];
  assertWellFormed(words, subtitleCues(words));
  assert.deepEqual(subtitleCues([]), []);
});

test('a long subtitle is broken at the clause, a short one not at all', () => {
  const spoken = (text: string): TranscriptWord[] =>
    text.split(' ').map((word, i) => [` ${word}`, i * 300, i * 300 + 290]);
  assert.deepEqual(
    subtitleCues(spoken('It was the best of times, it was the worst of times.')).map(({ lines }) => lines),
    [['It was the best of times,', 'it was the worst of times.']],
  );
  assert.deepEqual(
    subtitleCues(spoken('It was the age of wisdom.')).map(({ lines }) => lines),
    [['It was the age of wisdom.']],
  );
});

test('scripts of wide letters without spaces take half as many on a line', () => {
  const sentence = '这是一个很长的句子它没有空格所以必须在适当的地方断开才能让人们容易地阅读它们的内容';
  const words: TranscriptWord[] = [...sentence].map((text, i) => [text, i * 200, i * 200 + 200]);
  const cues = subtitleCues(words);
  assertWellFormed(words, cues);
  for (const { lines } of cues) for (const line of lines) assert.ok([...line].length <= 21, line);
});

test('ten hours are cut in moments', () => {
  const words = talk(5, { rate: 14, seconds: 36_000 });
  assert.ok(words.length > 30_000);
  assertWellFormed(words, subtitleCues(words));
});
