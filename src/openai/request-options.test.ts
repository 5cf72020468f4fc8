import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RequestFields, requestOptionsOf } from './request-options.ts';

const options = (fields: RequestFields) => requestOptionsOf(fields, 'transcribe');

test('nothing but a file asks for json in the language that is found out', () => {
  const plain = {
    format: 'json',
    granularities: new Set(['segment']),
    stream: false,
    language: undefined,
    chineseScript: undefined,
    knownSpeakers: undefined,
    keywords: undefined,
    prompt: undefined,
  };
  assert.deepEqual(options({}), plain);
  const habits = {
    model: ['x'],
    temperature: ['0'],
    'chunking_strategy[type]': ['server_vad'],
  };
  assert.deepEqual(options(habits), plain);
  assert.deepEqual(options({ language: [''], response_format: null, stream: [''] }), plain);
});

test('a form and JSON say the same', () => {
  const form = options({
    response_format: ['verbose_json'],
    timestamp_granularities: ['word', 'segment'],
    language: ['en-US'],
    stream: ['False'],
  });
  const json = options({
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
    language: 'en',
    stream: false,
  });
  assert.deepEqual(form, json);
  assert.equal(options({ stream: 'true' }).stream, true);
  assert.equal(options({ languages: ['de'] }).language, 'de');
  const { language, chineseScript } = options({ language: 'zh-TW' });
  assert.deepEqual([language, chineseScript], ['zh', 'tw']);
  assert.equal(options({ languages: ['de', 'fr'] }).language, undefined);
});

test('keywords and the names of the prompt are terms, within limits', () => {
  const both = options({ keywords: [' Nguyen '], prompt: 'A talk with Siobhan about ComfyUI.' });
  assert.deepEqual(both.keywords, ['Nguyen', 'Siobhan', 'ComfyUI']);
  assert.equal(both.prompt, 'A talk with Siobhan about ComfyUI.');
  assert.equal(options({ keywords: [''], prompt: ['just talk'] }).keywords, undefined);
  assert.throws(() => options({ keywords: ['x'.repeat(51)] }), /at most 100 names or terms of up to 50/);
  assert.throws(() => options({ prompt: 'x'.repeat(4001) }), /at most 4000/);
});

const voice = `data:audio/wav;base64,${Buffer.from('a voice').toString('base64')}`;

test('known speakers are pairs of a name and a recording', () => {
  const { knownSpeakers } = options({
    response_format: 'diarized_json',
    known_speaker_names: ['Anne', ' Mary '],
    known_speaker_references: [voice, voice],
  });
  const recording = Buffer.from('a voice');
  assert.deepEqual(knownSpeakers, [
    { name: 'Anne', recording },
    { name: 'Mary', recording },
  ]);
});

const wrong: [RequestFields, string][] = [
  [{ response_format: 'xml' }, 'response_format'],
  [{ timestamp_granularities: ['letter'] }, 'timestamp_granularities'],
  [{ stream: 'perhaps' }, 'stream'],
  [{ stream: 'true', response_format: 'vtt' }, 'stream'],
  [{ language: 'klingon' }, 'language'],
  [{ language: 7 }, 'language'],
  [{ response_format: 'diarized_json', known_speaker_names: ['Anne'] }, 'known_speaker_names'],
  [{ known_speaker_names: ['Anne'], known_speaker_references: [voice] }, 'known_speaker_names'],
  [
    { response_format: 'diarized_json', known_speaker_references: ['https://a/b'] },
    'known_speaker_references',
  ],
  [{ known_speaker_names: ['a', 'b', 'c', 'd', 'e'] }, 'known_speaker_names'],
];
for (const [fields, param] of wrong) {
  test(`${JSON.stringify(fields).slice(0, 80)} is refused and names ${param}`, () => {
    assert.throws(() => options(fields), { name: 'OpenAiError', status: 400, param });
  });
}

test('a translation has no speakers', () => {
  assert.throws(() => requestOptionsOf({ response_format: 'diarized_json' }, 'translate'), {
    param: 'response_format',
  });
});
