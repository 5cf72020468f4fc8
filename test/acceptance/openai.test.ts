/** OpenAI's own client, and what other programs send, against the running service. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import OpenAI, { toFile } from 'openai';
import { type ApiClient, newClient } from '../support/api-client.ts';
import { fixtureSamples, silence, spokenSamples } from '../support/audio.ts';
import { childProcesses } from '../support/child-processes.ts';
import { eventually } from '../support/eventually.ts';
import { runService, temporaryDataDir } from '../support/service.ts';
import { oneVoice, twoVoices } from '../support/two-voices.ts';
import { wavBytes, wavOf } from '../support/wav-bytes.ts';

const smallFileBytes = 200_000;
const plans = join(await temporaryDataDir({ after }), 'plans.json');
const limits = { media_seconds_max: 3600, daily_transcriptions_max: 100 };
await writeFile(
  plans,
  JSON.stringify({
    free: { ...limits, file_bytes_max: smallFileBytes, speaker_diarization: false },
    pro: { ...limits, file_bytes_max: 100_000_000, speaker_diarization: true },
  }),
);
const service = await runService({ after }, { LONGHAND_PLANS: plans });
const rest = await newClient(service);
const openai = clientOf(rest);

const sentence = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const model = 'whisper-1';

function clientOf({ key }: ApiClient, url = service.url): OpenAI {
  return new OpenAI({ apiKey: key ?? '', baseURL: `${url}/v1`, maxRetries: 0 });
}

async function jobsOf(client: ApiClient): Promise<{ id: string; status: string }[]> {
  return (await client.get('/api/v1/transcriptions?limit=100')).body.data;
}

/** A minute and more, in several chunks. */
async function longTalk(): Promise<Buffer<ArrayBuffer>> {
  const names = ['austen-870.flac', 'austen-880.flac', 'austen-930.flac'];
  const clips = await Promise.all(names.map((name) => fixtureSamples(name)));
  const all = [clips, clips, clips].flat();
  return wavOf(Buffer.concat(all.flatMap((clip) => [clip, silence(2.5)])));
}

test('json gives the text and the length of the recording', async () => {
  const answer = await openai.audio.transcriptions.create({ file: createReadStream(sentence), model });
  assert.match(answer.text, /young man/i);
  const [job] = await jobsOf(rest);
  const { body } = await rest.get(`/api/v1/transcriptions/${job?.id}`);
  assert.equal(body.data.filename, 'austen-880.flac');
  assert.equal(answer.text, body.data.text);
  assert.deepEqual(answer.usage, { type: 'duration', seconds: Math.ceil(body.data.duration_seconds) });
});

test('text, srt and vtt come as plain text', async () => {
  const make = (response_format: 'text' | 'srt' | 'vtt') =>
    openai.audio.transcriptions.create({ file: createReadStream(sentence), model, response_format });
  assert.match(await make('text'), /young man.*\n$/is);
  assert.match(await make('srt'), /^1\n00:00:\d\d,\d{3} --> 00:00:\d\d,\d{3}\n/);
  assert.match(await make('vtt'), /^WEBVTT\n\n00:00:\d\d\.\d{3} --> 00:00:\d\d\.\d{3}\n/);
});

test('verbose_json has every field of Whisper, with the granularities that were asked for', async () => {
  const answer = await openai.audio.transcriptions.create({
    file: createReadStream(sentence),
    model,
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
  });
  assert.equal(answer.language, 'english');
  const { segments = [], words = [] } = answer;
  assert.deepEqual(
    segments.map(({ id }) => id),
    segments.map((_, i) => i),
  );
  for (const segment of segments) {
    assert.ok(segment.start < segment.end && segment.end <= answer.duration + 0.01);
    const { tokens, temperature, avg_logprob, compression_ratio, no_speech_prob } = segment;
    const neutral = { tokens: [], temperature: 0, compression_ratio: 1, no_speech_prob: 0 };
    assert.deepEqual({ tokens, temperature, compression_ratio, no_speech_prob }, neutral);
    assert.ok(avg_logprob <= 0 && avg_logprob > -1, `${avg_logprob}`);
  }
  assert.equal(words.map(({ word }) => word).join(' '), segments.map(({ text }) => text).join(' '));
  assert.ok(words.every(({ start, end }) => start <= end));
  const bySegments = await openai.audio.transcriptions.create({
    file: createReadStream(sentence),
    model,
    response_format: 'verbose_json',
  });
  assert.deepEqual([bySegments.segments?.length, bySegments.words], [segments.length, undefined]);
});

test('diarized_json names the speakers by letters, and refuses an account without the plan', async () => {
  const { wav, turnSeconds } = twoVoices(4);
  const file = await toFile(wav, 'talk.wav');
  const wanted = { model: 'gpt-4o-transcribe-diarize', response_format: 'diarized_json' } as const;
  const answer = (await openai.audio.transcriptions.create({
    ...wanted,
    file,
  })) as OpenAI.Audio.TranscriptionDiarized;
  assert.equal(answer.task, 'transcribe');
  assert.ok(answer.segments.length >= 4);
  for (const { type, start, end, speaker } of answer.segments) {
    assert.equal(type, 'transcript.text.segment');
    assert.equal(speaker, 'AB'[Math.floor((start + end) / 2 / turnSeconds) % 2]);
  }
  const free = clientOf(await newClient(service, 'free'));
  const short = await toFile(wavBytes(1), 'tone.wav');
  await assert.rejects(free.audio.transcriptions.create({ ...wanted, file: short }), {
    status: 403,
    code: 'pro_required',
    param: 'response_format',
    message: /Pro plan/,
  });
});

test('speakers whose voices are known have their names, and a recording that is no voice is refused', async () => {
  const dataUrl = (wav: Buffer) => `data:audio/wav;base64,${wav.toString('base64')}`;
  const create = (names: string[], references: Buffer[]) =>
    openai.audio.transcriptions.create({
      model,
      file: new File([twoVoices(4).wav], 'talk.wav'),
      response_format: 'diarized_json',
      known_speaker_names: names,
      known_speaker_references: references.map(dataUrl),
    });
  const both = (await create(
    ['Marianne', 'Elinor'],
    [oneVoice('high'), oneVoice('low')],
  )) as OpenAI.Audio.TranscriptionDiarized;
  const speakers = both.segments.map(({ speaker }) => speaker);
  assert.deepEqual([...new Set(speakers)], ['Elinor', 'Marianne']);
  const [newest] = await jobsOf(rest);
  const { body } = await rest.get(`/api/v1/transcriptions/${newest?.id}`);
  assert.deepEqual(
    body.data.segments.map(({ speaker }: { speaker: string }) => speaker),
    speakers,
  );
  for (const unusable of [wavBytes(1), wavBytes(5, 0), wavBytes(30), Buffer.from('no recording')]) {
    await assert.rejects(create(['Marianne'], [unusable]), { status: 400, code: 'reference_unusable' });
  }
});

test('a stream gives the text in parts while it is made, and all of it at the end', async () => {
  const file = await toFile(await longTalk(), 'talk.wav');
  const events: OpenAI.Audio.TranscriptionStreamEvent[] = [];
  for await (const event of await openai.audio.transcriptions.create({ file, model, stream: true }))
    events.push(event);
  const deltas = events.flatMap((event) => (event.type === 'transcript.text.delta' ? [event.delta] : []));
  const last = events.at(-1);
  assert.ok(deltas.length >= 9, `${deltas.length} parts`);
  assert.deepEqual(last, { type: 'transcript.text.done', text: deltas.join('') });
});

test('a stream with speakers gives each segment with the one who speaks it', async () => {
  const file = await toFile(twoVoices(4).wav, 'talk.wav');
  const events: OpenAI.Audio.TranscriptionStreamEvent[] = [];
  const wanted = { file, model, stream: true, response_format: 'diarized_json' } as const;
  for await (const event of await openai.audio.transcriptions.create(wanted)) events.push(event);
  const speakers = events.flatMap((event) =>
    event.type === 'transcript.text.segment' ? [event.speaker] : [],
  );
  assert.deepEqual([...new Set(speakers)], ['A', 'B']);
  assert.equal(events.at(-1)?.type, 'transcript.text.done');
});

test('what goes wrong after a stream has begun comes as an error of it', async () => {
  const broken = Buffer.concat([Buffer.from('OggS\0'), Buffer.alloc(2_000, 7)]);
  const file = await toFile(broken, 'broken.ogg');
  const stream = await openai.audio.transcriptions.create({ file, model, stream: true });
  await assert.rejects(Array.fromAsync(stream), { code: 'media_unreadable', param: 'file' });
});

test('a recording in another language is recognised as told, and translated into English', async () => {
  const german = wavOf(await spokenSamples('de', 'Guten Morgen. Heute ist ein schöner Tag.'));
  const file = () => toFile(german, 'german.wav');
  const spoken = await openai.audio.transcriptions.create({
    file: await file(),
    model,
    language: 'de',
    response_format: 'verbose_json',
  });
  assert.match(spoken.text, /guten morgen/i);
  assert.equal(spoken.language, 'german');
  const { text } = await openai.audio.translations.create({ file: await file(), model });
  assert.match(text, /good morning/i);
  assert.doesNotMatch(text, /morgen/i);
});

test('a name on the list of keywords is written as it is there, and other keywords are another request', async () => {
  const spoken = 'The Kubernetes cluster was restarted in the middle of the night.';
  const recording = wavOf(await spokenSamples('en-us', spoken));
  const heard = async (fields: { keywords?: string[]; prompt?: string }) => {
    const file = await toFile(recording, 'night.wav');
    return (await openai.audio.transcriptions.create({ file, model, language: 'en', ...fields })).text;
  };
  const plain = await heard({});
  assert.match(await heard({ keywords: ['Siobhan', 'Kubernetes'] }), /Kubernetes cluster/);
  assert.match(await heard({ prompt: 'A talk about Kubernetes.' }), /Kubernetes cluster/);
  assert.equal(await heard({ keywords: ['Siobhan', 'Okonkwo'] }), plain);
  await assert.rejects(heard({ keywords: ['x'.repeat(51)] }), /at most 100 names or terms/);
});

test('errors come in the form that the client turns into its own', async () => {
  const file = () => createReadStream(sentence);
  const create = openai.audio.transcriptions.create.bind(openai.audio.transcriptions);
  const wrongKey = clientOf({ key: `lh_${'x'.repeat(36)}` } as ApiClient);
  await assert.rejects(wrongKey.audio.transcriptions.create({ file: file(), model }), {
    status: 401,
    code: 'invalid_api_key',
    type: 'invalid_request_error',
  });
  await assert.rejects(create({ file: file(), model, response_format: 'xml' as 'json' }), {
    status: 400,
    param: 'response_format',
    message: /verbose_json/,
  });
  await assert.rejects(create({ file: file(), model, language: 'klingon' }), {
    status: 400,
    param: 'language',
  });
  await assert.rejects(create({ file: file(), model, stream: true, response_format: 'srt' }), {
    status: 400,
    param: 'stream',
  });
  await assert.rejects(create({ file: await toFile(Buffer.from('not a recording'), 'a.txt'), model }), {
    status: 400,
    code: 'unsupported_type',
    param: 'file',
  });
  await assert.rejects(create({ file: await toFile(Buffer.from('not a recording'), 'a.mp3'), model }), {
    status: 400,
    code: 'unsupported_type',
  });
  await assert.rejects(create({ file: await toFile(Buffer.alloc(0), 'a.mp3'), model }), {
    status: 400,
    code: 'empty_upload',
  });
  assert.deepEqual(
    (await jobsOf(rest)).filter(({ status }) => status === 'processing'),
    [],
  );
});

test('a repeat after a cut connection joins the job that runs, and one after its end gives it again', async () => {
  const own = await newClient(service);
  const client = clientOf(own);
  const talk = await readFile(sentence);
  const again = () => toFile(talk, 'another-name.flac');
  // The job still runs when the connection is cut and the repeat is on its way.
  const { repeated } = await whileNothingIsRecognised(async () => {
    const cut = new AbortController();
    const first = client.audio.transcriptions.create(
      { file: await toFile(talk, 'talk.flac'), model },
      { signal: cut.signal },
    );
    const refused = assert.rejects(first, OpenAI.APIUserAbortError);
    await eventually(async () => (await jobsOf(own)).length === 1, 'the job of the first request');
    cut.abort();
    await refused;
    const running = client.audio.transcriptions.create({ file: await again(), model });
    assert.equal((await jobsOf(own))[0]?.status, 'processing');
    return { repeated: running };
  });
  const { text } = await repeated;
  const [job, ...others] = await jobsOf(own);
  assert.deepEqual([job?.status, others], ['completed', []]);
  const { body } = await own.get(`/api/v1/transcriptions/${job?.id}`);
  assert.equal(text, body.data.text);
  const subtitles = await client.audio.transcriptions.create({
    file: await again(),
    model,
    response_format: 'srt',
  });
  assert.match(subtitles, /^1\n/);
  assert.equal((await jobsOf(own)).length, 1);
  await client.audio.transcriptions.create({ file: await again(), model, language: 'en' });
  assert.equal((await jobsOf(own)).length, 2);
});

async function whileNothingIsRecognised<Result>(work: () => Promise<Result>): Promise<Result> {
  const speech = childProcesses(service.process.pid ?? Number.NaN, 'speech-process-main');
  assert.ok(speech.length > 0);
  for (const pid of speech) process.kill(pid, 'SIGSTOP');
  try {
    return await work();
  } finally {
    for (const pid of speech) process.kill(pid, 'SIGCONT');
  }
}

test('a request is held open for so long, then its answer names the job, which goes on', async () => {
  const hasty = await runService({ after }, { LONGHAND_OPENAI_WAIT: '1' });
  const own = await newClient(hasty);
  const file = await toFile(await longTalk(), 'talk.wav');
  const wanted = { file, model };
  const failure = await clientOf(own, hasty.url)
    .audio.transcriptions.create(wanted)
    .then(
      () => assert.fail('it was answered'),
      (error: InstanceType<typeof OpenAI.APIError>) => error,
    );
  assert.deepEqual([failure.status, failure.code], [504, 'transcription_running']);
  const [job] = await jobsOf(own);
  assert.equal(failure.headers?.get('location'), `/api/v1/transcriptions/${job?.id}`);
  assert.match(failure.message, new RegExp(`GET /api/v1/transcriptions/${job?.id} .*stream=true`));
  assert.equal((await own.ended(job?.id ?? '')).body.data.status, 'completed');
  const { text } = await clientOf(own, hasty.url).audio.transcriptions.create(wanted);
  assert.match(text, /young man/i);
  assert.equal((await jobsOf(own)).length, 1);
});

type RequestBody = string | Buffer<ArrayBuffer> | ReadableStream;

/** A request as its bytes, and the text of the answer. */
async function replay(
  headers: Record<string, string>,
  body: RequestBody,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${service.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rest.key}`, ...headers },
    body,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  } as RequestInit);
  return { status: response.status, body: await response.json() };
}

test("Open WebUI's form, whose file has no type of its own, gives the text", async () => {
  const boundary = '2a8ae6ad-f4ad-4d9a-a92c-6d217011fe0f'.replaceAll('-', '');
  const form = Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="language"\r\n\r\nen\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="8c7c1b0a.flac"\r\n\r\n`,
    ),
    await readFile(sentence),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const { status, body } = await replay(
    {
      'user-agent': 'python-requests/2.32.5',
      'accept-encoding': 'gzip, deflate, br, zstd',
      accept: '*/*',
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    form,
  );
  assert.equal(status, 200);
  assert.match((body as { text: string }).text, /young man/i);
});

test("Open WebUI's JSON with the recording in base64 gives the text", async () => {
  const data = (await readFile(sentence)).toString('base64');
  const json = JSON.stringify({ model: 'whisper-1', input_audio: { data, format: 'flac' } });
  const { status, body } = await replay({ 'content-type': 'application/json' }, json);
  assert.equal(status, 200);
  assert.match((body as { text: string }).text, /young man/i);
  for (const bad of ['{}', '[]', '{"input_audio":{"data":"%%%","format":"wav"}}', '{"input_audio"']) {
    const refused = await replay({ 'content-type': 'application/json' }, bad);
    assert.equal(refused.status, 400, bad);
  }
});

test("LibreChat's form, whose file comes first and in chunks of unknown number, gives the text", async () => {
  const boundary = '--------------------------515890814546601021194782';
  const bytes = await readFile(sentence);
  const parts = [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="audio.flac"\r\nContent-Type: audio/x-flac\r\n\r\n`,
    ),
    ...Array.from({ length: Math.ceil(bytes.length / 8192) }, (_, i) =>
      bytes.subarray(8192 * i, 8192 * (i + 1)),
    ),
    Buffer.from(
      `\r\n--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1` +
        `\r\n--${boundary}\r\nContent-Disposition: form-data; name="language"\r\n\r\nen\r\n--${boundary}--\r\n`,
    ),
  ];
  const { status, body } = await replay(
    {
      accept: 'application/json, text/plain, */*',
      'user-agent': 'axios/1.13.2',
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
    ReadableStream.from(parts),
  );
  assert.equal(status, 200);
  assert.match((body as { text: string }).text, /young man/i);
});

test('a form without a file, one that breaks off, and a body of another kind are refused', async () => {
  const form = (text: string) =>
    replay({ 'content-type': 'multipart/form-data; boundary=b' }, text.replaceAll('\n', '\r\n'));
  const field = '--b\nContent-Disposition: form-data; name="model"\n\nwhisper-1\n';
  const noFile = await form(`${field}--b--\n`);
  assert.equal(noFile.status, 400);
  assert.deepEqual(noFile.body, {
    error: {
      message: 'There is no file: send the recording in the form field "file".',
      type: 'invalid_request_error',
      param: 'file',
      code: 'missing_required_parameter',
    },
  });
  const file = '--b\nContent-Disposition: form-data; name="file"; filename="a.mp3"\n\nID3';
  assert.equal((await form(field + file)).status, 400);
  assert.equal((await form('nothing of a form')).status, 400);
  const other = await replay({ 'content-type': 'application/x-www-form-urlencoded' }, 'file=a');
  assert.equal(other.status, 400);
});

test('the models are those whose names clients know, and what is unknown is refused in the same form', async () => {
  const { data } = await openai.models.list();
  assert.ok(data.some(({ id, object }) => id === 'whisper-1' && object === 'model'));
  assert.equal((await openai.models.retrieve('gpt-4o-transcribe')).id, 'gpt-4o-transcribe');
  await assert.rejects(openai.models.retrieve('gpt-9'), { status: 404, code: 'model_not_found' });
  await assert.rejects(openai.chat.completions.create({ model, messages: [] }), {
    status: 404,
    code: 'unknown_url',
  });
});

test('switched off, its addresses are unknown', async () => {
  const closed = await runService({ after }, { LONGHAND_DOORS: 'none' });
  const client = await newClient(closed);
  assert.deepEqual((await client.get('/v1/models')).body.error.code, 'not_found');
});

// The last: the service cuts off a client that goes on sending, and with it a connection that others here may share.
test('a file that is larger than the plan allows is refused, whether its size is told or found out', async () => {
  const free = clientOf(await newClient(service, 'free'));
  const refusal = { status: 413, code: 'file_too_large', param: 'file', message: /200,000 bytes/ };
  const told = await toFile(Buffer.alloc(20_000_000), 'a.mp3');
  await assert.rejects(free.audio.transcriptions.create({ file: told, model }), refusal);
  const path = join(service.environment.LONGHAND_DATA_DIR ?? '', 'large.wav');
  await writeFile(path, wavBytes(60));
  await assert.rejects(free.audio.transcriptions.create({ file: createReadStream(path), model }), refusal);
});
