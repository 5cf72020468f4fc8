import assert from 'node:assert/strict';
import { test } from 'node:test';
import { srt, vtt } from './subtitles.ts';

const segments = [
  { start: 0.04, end: 2.5, text: 'Hello <there> & welcome.' },
  { start: 3661.9996, end: 3663, text: 'One\n\ntwo --> three.', speaker: 1 },
];

test('SRT numbers its cues and writes milliseconds behind a comma', () => {
  assert.equal(
    srt(segments),
    '1\n00:00:00,040 --> 00:00:02,500\nHello <there> & welcome.\n\n2\n01:01:02,000 --> 01:01:03,000\nOne two → three.\n',
  );
});

test('WebVTT escapes its text, names the speaker, and no text can end or begin a cue', () => {
  assert.equal(
    vtt(segments),
    'WEBVTT\n\n00:00:00.040 --> 00:00:02.500\nHello &lt;there&gt; &amp; welcome.\n\n01:01:02.000 --> 01:01:03.000\n<v Speaker 1>One two → three.\n',
  );
});
