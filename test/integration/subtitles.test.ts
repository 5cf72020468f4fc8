import assert from 'node:assert/strict';
import { test } from 'node:test';
import { srt } from '../../src/transcript/subtitle/subtitles.ts';
import { transcript } from '../../src/transcript/transcript.ts';
import { fixtureSamples, silence } from '../support/audio.ts';
import { parsedSubtitles } from '../support/parsed-subtitles.ts';
import { heardIn, speechPool } from '../support/speech.ts';

test('recordings become subtitles that can be read, by either engine', async (t) => {
  const speech = speechPool(t);
  const clips = await Promise.all(
    ['austen-870.flac', 'austen-880.flac', 'austen-930.flac'].map(fixtureSamples),
  );
  const samples = Buffer.concat(clips.flatMap((clip) => [clip, silence(0.5)]));
  for (const engine of ['auto', 'whisper']) {
    const results = await heardIn(speech, samples, engine);
    const { text, words } = transcript(results.flatMap((result) => result.utterances));
    const cues = await parsedSubtitles(srt(words), 'srt');
    assert.ok(cues.length >= 3, engine);
    assert.equal(cues.map((cue) => cue.text.replaceAll('\n', ' ')).join(' '), text.replaceAll('\n\n', ' '));
    for (const { startTime, endTime, text: shown } of cues) {
      const seconds = Math.round(1000 * (endTime - startTime)) / 1000;
      assert.ok(seconds >= 1 && seconds <= 7, `${engine}: ${seconds} s`);
      assert.ok(shown.length / seconds <= 20, `${engine}: ${shown.length} characters in ${seconds} s`);
      const lines = shown.split('\n');
      assert.ok(lines.length <= 2 && lines.every((line) => line.length <= 42), `${engine}: ${shown}`);
      assert.match(shown, / /, engine);
    }
  }
});
