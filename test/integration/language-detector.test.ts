import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { firstLanguageToken, languageDecoder } from '../../src/model/language-decoder.ts';
import { languageModel } from '../../src/speech/engine.ts';
import { DecoderState } from '../../src/speech/recognizer/decoding/decoder-state.ts';
import { WhisperLanguageDetector } from '../../src/speech/recognizer/whisper/whisper-language-detector.ts';
import { WhisperVocabulary } from '../../src/speech/recognizer/whisper/whisper-vocabulary.ts';
import { floatSamples } from '../../src/timeline/pcm-samples.ts';
import { transcript } from '../../src/transcript/transcript.ts';
import { fixtureSamples, silence, spokenSamples } from '../support/audio.ts';
import { onCleanup } from '../support/cleanup.ts';
import { audioOf, chunksOf, modelsDirectory, patience, speechPool } from '../support/speech.ts';

test('a decoder cut down to its first step says the same of every language', async () => {
  const directory = join(modelsDirectory, 'whisper-base');
  const published = await readFile(join(directory, 'decoder.onnx'));
  const vocabulary = await WhisperVocabulary.load(directory);
  const sound = Float32Array.from({ length: 1500 * 512 }, (_, i) => Math.sin(i * 0.37) + Math.cos(i * 0.011));
  const encoded = new Tensor('float32', sound, [1, 1500, 512]);
  const network = await InferenceSession.create(published);
  const decoder = { network, encoded, heads: vocabulary.alignmentHeads };
  const whole = await DecoderState.start(decoder, [vocabulary.start]);
  const expected = whole.rows[0]?.logits ?? new Float32Array();

  const cut = languageDecoder(published);
  assert.ok(cut.length < published.length / 2);
  const first = await InferenceSession.create(cut);
  assert.deepEqual(first.inputNames.toSorted(), ['encoder_hidden_states', 'input_ids']);
  const { logits } = await first.run({
    input_ids: new Tensor('int64', BigInt64Array.of(0n), [1, 1]),
    encoder_hidden_states: encoded,
  });
  assert.equal(logits?.data.length, vocabulary.languages.size);
  for (const [language, token] of vocabulary.languages) {
    const ours = Number(logits?.data[token - firstLanguageToken]);
    assert.ok(
      Math.abs(ours - Number(expected[token])) < 1e-3,
      `${language}: ${ours}, not ${expected[token]}`,
    );
  }
});

test('the language detector is sure of English, and not where another language is spoken', async (t) => {
  const speech = speechPool(t);
  const detector = await WhisperLanguageDetector.load(join(modelsDirectory, languageModel));
  onCleanup(t, () => detector.release());
  const spanish = await spokenSamples('es', 'Buenos días a todos. Hoy vamos a hablar de la casa nueva.');
  const sure: boolean[] = [];
  for (const bytes of [await fixtureSamples('austen-870.flac'), spanish]) {
    const [chunk] = await chunksOf(speech, bytes);
    assert.ok(chunk);
    const samples = floatSamples(audioOf(bytes, chunk));
    const [guess] = await detector.detectLanguages({ samples, chunk, language: null, signal: patience() });
    sure.push(guess?.language === 'en' && guess.probability >= 0.8);
  }
  assert.deepEqual(sure, [true, false]);
});

test('where the detector is missing or half installed, the larger model decides', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-models-'));
  onCleanup(t, () => rm(directory, { recursive: true }));
  for (const id of ['silero-vad', 'whisper-base'])
    await symlink(join(modelsDirectory, id), join(directory, id));
  const samples = await fixtureSamples('austen-870.flac');
  const speech = speechPool(t, { modelsDirectory: directory });
  const [chunk] = await chunksOf(speech, samples);
  assert.ok(chunk);
  const chunks = [{ audio: audioOf(samples, chunk), chunk }];
  for (const prepare of [async () => {}, () => mkdir(join(directory, languageModel))]) {
    await prepare();
    const [guess] = await speech.detectLanguages(chunks, patience());
    assert.equal(guess?.language, 'en');
    assert.ok((guess?.probability ?? 0) > 0.5);
  }
});

test('Spanish inside an English recording is recognised as Spanish, and the English around it as before', async (t) => {
  const speech = speechPool(t);
  const english = await fixtureSamples('austen-880.flac');
  const spanish = await spokenSamples('es', 'Buenos días a todos. Hoy vamos a hablar de la casa nueva.');
  const samples = Buffer.concat([english, silence(0.6), spanish, silence(0.6), english]);
  const options = { engine: 'auto', language: 'en', otherLanguages: true, speakers: false };
  const heard = [];
  for (const chunk of await chunksOf(speech, samples))
    heard.push(await speech.recognise(audioOf(samples, chunk), chunk, options, patience()));
  const { segments, language } = transcript(heard.flatMap(({ utterances }) => utterances));
  const languages = segments.map((segment) => segment.language);
  assert.deepEqual([languages[0], languages.at(-1), language], ['en', 'en', 'en'], JSON.stringify(segments));
  const other = segments.filter((segment) => segment.language === 'es').map(({ text }) => text);
  assert.match(other.join(' '), /hablar de la casa/i);
  const rest = segments.filter((segment) => segment.language !== 'es').map(({ text }) => text);
  assert.equal(rest.join(' ').match(/not an ill-disposed young man/gi)?.length, 2, rest.join(' '));
});
