import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { SpeechError } from '../../src/speech/speech.ts';
import { withExactEdges } from '../../src/speech/voice/span-edges.ts';
import { floatSamples } from '../../src/timeline/pcm-samples.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import type { RecognisedUtterance } from '../../src/timeline/utterance.ts';
import { transcript } from '../../src/transcript/transcript.ts';
import { fixtureSamples, inPieces, silence, spokenSamples } from '../support/audio.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { audioOf, chunksOf, heardIn, patience, speechPool } from '../support/speech.ts';

const english = { engine: 'auto', language: 'en', speakers: false };

function words(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace('mr.', 'mister')
      .replaceAll('-', ' ')
      .match(/[a-z']+/g) ?? []
  );
}

test('read speech becomes its words, by either engine', async (t) => {
  const speech = speechPool(t);
  const samples = await fixtureSamples('austen-870.flac');
  const said =
    'and mister john dashwood had then leisure to consider how much there might be prudently in his power to do for them';
  for (const engine of ['auto', 'whisper']) {
    const { text } = transcript(
      (await heardIn(speech, samples, engine)).flatMap((result) => result.utterances),
    );
    assert.deepEqual(words(text), said.split(' '), engine);
  }
});

test('the pieces of a recording come back in order, at their times to 20 ms however much silence lies between', async (t) => {
  const speech = speechPool(t);
  const first = await fixtureSamples('austen-880.flac');
  const second = await fixtureSamples('austen-930.flac');
  // Silence of lengths that share nothing with the windows of voice activity.
  const pieces = [
    silence(61.0071),
    first,
    silence(3.0133),
    second,
    silence(17.0197),
    first,
    silence(5.0029),
    second,
  ];
  for (const engine of ['auto', 'whisper']) {
    const alone = [];
    for (const clip of [first, second]) {
      const framed = Buffer.concat([silence(1), clip, silence(1)]);
      const [segment, ...more] = transcript(
        (await heardIn(speech, framed, engine)).flatMap((result) => result.utterances),
      ).segments;
      assert.ok(segment && more.length === 0);
      alone.push({ start: segment.start - 1, end: segment.end - 1 });
    }
    const { segments, text } = transcript(
      (await heardIn(speech, Buffer.concat(pieces), engine)).flatMap((result) => result.utterances),
    );
    const endings = text.split('\n\n').map((paragraph) => words(paragraph).at(-1));
    assert.deepEqual(endings, ['man', 'himself', 'man', 'himself']);
    assert.equal(segments.length, 4);
    for (const [i, segment] of segments.entries()) {
      const bytesBefore = Buffer.concat(pieces.slice(0, 2 * i + 1)).length;
      const offset = bytesBefore / 2 / sampleRate;
      const { start = 0, end = 0 } = alone[i % 2] ?? {};
      assert.ok(
        Math.abs(segment.start - offset - start) <= 0.02,
        `${engine} ${i} ${segment.start - offset} ${start}`,
      );
      assert.ok(
        Math.abs(segment.end - offset - end) <= 0.02,
        `${engine} ${i} ${segment.end - offset} ${end}`,
      );
    }
  }
});

test('speech begins and ends at the same time to 20 ms wherever the windows of voice activity lie on it', async (t) => {
  const speech = speechPool(t);
  for (const name of ['austen-870.flac', 'austen-880.flac', 'austen-930.flac']) {
    const clip = await fixtureSamples(name);
    const begins: number[] = [];
    const ends: number[] = [];
    for (let step = 0; step < 8; step++) {
      const lead = 1 + (step * 67) / sampleRate;
      const samples = Buffer.concat([silence(lead), clip, silence(2)]);
      const [chunk] = await chunksOf(speech, samples);
      assert.ok(chunk, name);
      const utterances = withExactEdges(chunk.utterances, chunk, floatSamples(audioOf(samples, chunk)));
      begins.push((utterances[0]?.startSample ?? Number.NaN) / sampleRate - lead);
      ends.push((utterances.at(-1)?.endSample ?? Number.NaN) / sampleRate - lead);
    }
    assert.ok(Math.max(...begins) - Math.min(...begins) <= 0.02, `${name} begins at ${begins}`);
    assert.ok(Math.max(...ends) - Math.min(...ends) <= 0.02, `${name} ends at ${ends}`);
  }
});

for (const engine of ['moonshine', 'whisper']) {
  test(`words get times of their own from ${engine}, in order and within the speech`, async (t) => {
    const speech = speechPool(t);
    const samples = await fixtureSamples('austen-930.flac');
    const [result] = await heardIn(speech, samples, engine);
    const [utterance] = result?.utterances ?? [];
    assert.equal(utterance?.language, 'en');
    assert.equal(utterance?.words?.length, 8);
    let previousEnd = 0;
    for (const word of utterance?.words ?? []) {
      assert.ok(word.startSample >= previousEnd && word.endSample >= word.startSample);
      previousEnd = word.endSample;
    }
    assert.ok(previousEnd <= samples.length / 2);
  });
}

for (const engine of ['moonshine', 'whisper']) {
  test(`a term that is recognised anyway keeps the times of the words by ${engine}`, async (t) => {
    const speech = speechPool(t);
    const samples = await fixtureSamples('austen-870.flac');
    const [chunk] = await chunksOf(speech, samples);
    assert.ok(chunk);
    const words = async (keywords: string[]) => {
      const options = { ...english, engine, keywords };
      const { utterances } = await speech.recognise(audioOf(samples, chunk), chunk, options, patience());
      return utterances.flatMap((utterance) => utterance.words ?? []);
    };
    const plain = await words([]);
    const biased = await words(['John Dashwood']);
    assert.deepEqual(
      biased.map(({ text }) => text),
      plain.map(({ text }) => text),
    );
    for (const [i, { text, startSample }] of plain.entries()) {
      const apartMs = Math.abs((biased[i]?.startSample ?? 0) - startSample) / (sampleRate / 1000);
      assert.ok(apartMs <= 60, `${text}: ${apartMs} ms`);
    }
  });
}

test('asking for speakers changes no word', async (t) => {
  const speech = speechPool(t);
  const voices = [
    await fixtureSamples('austen-930.flac'),
    await spokenSamples(
      'en-us',
      'The committee will look at the proposal again before the end of the month.',
    ),
  ];
  const samples = Buffer.concat(voices);
  const chunks = await chunksOf(speech, samples);
  const heard = async (speakers: boolean) => {
    const utterances: RecognisedUtterance[] = [];
    for (const chunk of chunks) {
      const options = { ...english, speakers };
      const result = await speech.recognise(audioOf(samples, chunk), chunk, options, patience());
      assert.equal(result.speakers !== undefined, speakers);
      utterances.push(...result.utterances);
    }
    return utterances;
  };
  assert.deepEqual(await heard(true), await heard(false));
});

test('a recording in two languages comes back in both, each by the engine made for it', async (t) => {
  const speech = speechPool(t);
  const english = await fixtureSamples('austen-870.flac');
  const spanish = await spokenSamples(
    'es',
    'Buenos días a todos. Hoy vamos a hablar de la casa nueva, de los niños y del tiempo en la ciudad.',
  );
  // Long enough apart, and long enough themselves, not to share a chunk.
  const samples = Buffer.concat([english, english, english, silence(9), spanish]);
  const results = await heardIn(speech, samples);
  const [first, last] = [results[0], results.at(-1)];
  assert.equal(first?.engine, 'moonshine-base');
  assert.match(first?.utterances[0]?.text ?? '', /John Dashwood/i);
  assert.equal(last?.engine, 'whisper-base');
  assert.equal(last?.utterances[0]?.language, 'es');
  const { text } = transcript(results.flatMap((result) => result.utterances));
  assert.match(text, /prudently in his power.*buenos días a todos.*la ciudad/is);
});

test('the language of each chunk is detected', async (t) => {
  const speech = speechPool(t);
  const spanish = await spokenSamples('es', 'Buenos días a todos. Hoy vamos a hablar de la casa nueva.');
  const chunks = [];
  for (const samples of [await fixtureSamples('austen-870.flac'), spanish]) {
    const [chunk] = await chunksOf(speech, samples);
    assert.ok(chunk);
    chunks.push({ audio: audioOf(samples, chunk), chunk });
  }
  const guesses = await speech.detectLanguages(chunks, patience());
  assert.deepEqual(
    guesses.map(({ language }) => language),
    ['en', 'es'],
  );
  assert.ok((guesses[0]?.probability ?? 0) > 0.8);
});

test('a crash of the native code ends one request with a transient error, and the next one succeeds', async (t) => {
  const speech = speechPool(t);
  const samples = await fixtureSamples('austen-880.flac');
  const [chunk] = await chunksOf(speech, samples);
  assert.ok(chunk);
  const children = await childrenOf(process.pid);
  const request = speech.recognise(audioOf(samples, chunk), chunk, english, patience());
  const [child] = children;
  assert.ok(child !== undefined);
  process.kill(child, 'SIGSEGV');
  await assert.rejects(request, (error) => error instanceof SpeechError && error.transient);
  const { utterances } = await speech.recognise(audioOf(samples, chunk), chunk, english, patience());
  assert.equal(utterances.length, 1);
});

test('a process that goes over its memory ends its own request only, with a transient error', async (t) => {
  const samples = await fixtureSamples('austen-880.flac');
  const [chunk] = await chunksOf(speechPool(t), samples);
  assert.ok(chunk);
  // To load the recognizer takes a second; the memory is looked at four times in it.
  await assert.rejects(
    speechPool(t, { memoryBytesMax: 1 }).recognise(audioOf(samples, chunk), chunk, english, patience()),
    (error) => error instanceof SpeechError && error.transient && /memory/.test(error.message),
  );
});

test('a request that is given up rejects at once and leaves the process fit for the next', async (t) => {
  const speech = speechPool(t);
  const samples = await fixtureSamples('austen-870.flac');
  const [chunk] = await chunksOf(speech, samples);
  assert.ok(chunk);
  const stop = new AbortController();
  const request = speech.recognise(audioOf(samples, chunk), chunk, english, stop.signal);
  stop.abort(new Error('enough'));
  await assert.rejects(request, /enough/);
  const found = speech.findSpeech(endless(), AbortSignal.any([patience(), AbortSignal.timeout(200)]));
  await assert.rejects(found, { name: 'TimeoutError' });
  const { utterances } = await speech.recognise(audioOf(samples, chunk), chunk, english, patience());
  assert.equal(utterances.length, 1);
});

test('a speech process gives way to the service', async (t) => {
  const speech = speechPool(t);
  await speech.findSpeech(inPieces(await fixtureSamples('austen-880.flac')), patience());
  const [child] = await childrenOf(process.pid);
  assert.ok(child !== undefined && getPriority(child) > getPriority());
});

test('a process that is not needed is ended, and another starts when there is work again', async (t) => {
  const clock = new ManualClock();
  const speech = speechPool(t, { clock, idleMsMax: 60_000 });
  const samples = await fixtureSamples('austen-880.flac');
  assert.equal((await speech.findSpeech(inPieces(samples), patience())).spans.length, 1);
  await clock.advance(120_000);
  await eventually(async () => (await childrenOf(process.pid)).length === 0, 'the process to end');
  assert.equal((await speech.findSpeech(inPieces(samples), patience())).spans.length, 1);
});

test('a model that is not installed is named with the command that installs it', async (t) => {
  const speech = speechPool(t, { modelsDirectory: '/nonexistent' });
  await assert.rejects(speech.findSpeech(inPieces(silence(1)), patience()), {
    message: 'the model silero-vad is not installed; run: longhand models install silero-vad',
    transient: false,
  });
});

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

async function* endless(): AsyncGenerator<Buffer> {
  for (;;) yield silence(10);
}
