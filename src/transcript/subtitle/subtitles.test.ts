import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsedSubtitles } from '../../../test/support/parsed-subtitles.ts';
import type { TranscriptWord } from '../transcript-word.ts';
import { srt, vtt } from './subtitles.ts';

const words: TranscriptWord[] = [
  [' Hello', 40, 700],
  [' <there>', 700, 1300],
  [' &', 1300, 1400],
  [' welcome.', 1400, 2500],
  [' One', 3_661_999, 3_662_400, 1],
  [' -->', 3_662_400, 3_662_600, 1],
  [' two.', 3_662_600, 3_663_200, 1],
];

test('SRT numbers its cues, writes milliseconds behind a comma and names who begins to speak', () => {
  assert.equal(
    srt(words),
    '1\n00:00:00,040 --> 00:00:02,500\nHello <there> & welcome.\n\n2\n01:01:01,999 --> 01:01:03,352\nSpeaker 2: One → two.\n',
  );
});

test('WebVTT escapes its text, names the speaker, and no text can end or begin a cue', () => {
  assert.equal(
    vtt(words),
    'WEBVTT\n\n00:00:00.040 --> 00:00:02.500\nHello &lt;there&gt; &amp; welcome.\n\n01:01:01.999 --> 01:01:03.200\n<v Speaker 2>One → two.\n',
  );
});

const spokenBy = /^<v Speaker \d>|^Speaker \d: /;

/** Two hours of what a parser could stumble over. */
const difficult: TranscriptWord[] = Array.from({ length: 4000 }, (_, i) => {
  const text = [' well,', ' a<b>', ' --> 00:01', ' 12', ' R&D', ' “so”.', ' NOTE', ' WEBVTT'][i % 8] ?? '';
  return [text, i * 1800, i * 1800 + 500 + (i % 5) * 100, i % 40 < 20 ? 0 : 1];
});

for (const [type, write] of [
  ['srt', srt],
  ['vtt', vtt],
] as const) {
  test(`an independent parser reads back every ${type} cue with its times and lines`, async () => {
    const text = write(difficult);
    const cues = await parsedSubtitles(text, type);
    assert.equal(cues.length, text.split('\n').filter((line) => / --> \d\d:\d\d:\d\d[.,]/.test(line)).length);
    let previousEnd = 0;
    for (const { startTime, endTime, text: shown } of cues) {
      const ms = Math.round(1000 * (endTime - startTime));
      assert.ok(startTime >= previousEnd && ms >= 1000 && ms <= 7000, `${startTime} to ${endTime}`);
      const lines = shown.replace(spokenBy, '').split('\n');
      assert.ok(lines.length <= 2 && lines.every((line) => line.trim() !== ''), shown);
      previousEnd = endTime;
    }
    const said = difficult.map(([word]) => word.replaceAll('-->', '→')).join('');
    const read = cues.map((cue) => unescaped(cue.text.replace(spokenBy, ''))).join(' ');
    assert.equal(read.replace(/\s+/g, ' '), said.trim());
  });
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
