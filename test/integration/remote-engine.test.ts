import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { createEgress } from '../../src/egress/egress.ts';
import { nothingAllowed, parseEgressAllow } from '../../src/egress/url.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { RemoteSpeech } from '../../src/speech/remote/remote-speech.ts';
import { EngineUnavailable, SpeechError } from '../../src/speech/speech.ts';
import type { Chunk } from '../../src/timeline/chunk-plan.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { silence } from '../support/audio.ts';
import { onCleanup } from '../support/cleanup.ts';
import { patience, speechPool } from '../support/speech.ts';

const options = { engine: 'remote', language: null, speakers: false };
const span = { startSample: 160_000, endSample: 208_000 };
const chunk: Chunk = {
  index: 3,
  startSample: span.startSample - 3200,
  endSample: span.endSample + 3200,
  utterances: [{ ...span, spans: [span] }],
};
const audio = silence(3.4);
const key = 'sk-never-shown';

type Handler = (
  request: { headers: IncomingMessage['headers']; body: string },
  response: ServerResponse,
) => void;

/** A stand-in for an endpoint, on loopback. */
async function endpoint(t: TestContext, handler: Handler, allowed = true) {
  const server = createServer(async (request, response) => {
    handler({ headers: request.headers, body: (await buffer(request)).toString('latin1') }, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onCleanup(t, async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const egress = createEgress({
    allow: allowed ? parseEgressAllow(`127.0.0.1:${port}`) : nothingAllowed,
    clock: systemClock,
  });
  onCleanup(t, () => egress.close());
  return new RemoteSpeech({
    endpoint: { url: `http://127.0.0.1:${port}/v1`, key, model: 'whisper-large-v3' },
    local: speechPool(t),
    egress,
    concurrency: 2,
  });
}

function answer(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

test('a chunk goes out as a WAV with the key, and its words come back at their place in the recording', async (t) => {
  let seen: { headers: IncomingMessage['headers']; body: string } | undefined;
  const speech = await endpoint(t, (request, response) => {
    seen = request;
    const words = [
      { word: 'Good', start: 0.3, end: 0.6 },
      { word: 'morning.', start: 0.7, end: 1.2 },
    ];
    answer(response, { text: 'Good morning.', language: 'english', words });
  });
  const expected = { language: 'en', keywords: ['Nguyen', 'Raspberry Pi'] };
  const result = await speech.recognise(audio, chunk, { ...options, ...expected }, patience());
  assert.equal(seen?.headers.authorization, `Bearer ${key}`);
  for (const part of [
    'name="model"\r\n\r\nwhisper-large-v3',
    'name="language"\r\n\r\nen',
    'name="prompt"\r\n\r\nNguyen, Raspberry Pi',
    'RIFF',
    'WAVEfmt ',
  ]) {
    assert.ok(seen?.body.includes(part), part);
  }
  const at = (seconds: number) => chunk.startSample + seconds * sampleRate;
  assert.equal(result.engine, 'remote whisper-large-v3');
  assert.deepEqual(result.utterances, [
    {
      ...span,
      spans: [span],
      text: 'Good morning.',
      language: 'en',
      words: [
        { text: ' Good', startSample: at(0.3), endSample: at(0.6) },
        { text: ' morning.', startSample: at(0.7), endSample: at(1.2) },
      ],
    },
  ]);
});

test('an endpoint that gives text alone is enough', async (t) => {
  const speech = await endpoint(t, (_request, response) => answer(response, { text: ' Good morning. ' }));
  const { utterances } = await speech.recognise(audio, chunk, options, patience());
  assert.deepEqual(utterances, [{ ...span, spans: [span], text: 'Good morning.', language: null }]);
});

test('an endpoint that is busy, broken or badly configured is unavailable, with the wait that it asks for', async (t) => {
  const answers: ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(503, { 'retry-after': '7' }).end(),
    (response) => response.destroy(),
    (response) => response.writeHead(401).end(`bad key ${key}`),
  ];
  let requests = 0;
  const speech = await endpoint(t, (_request, response) => answers[requests++]?.(response));
  const waits: number[] = [];
  const words: string[] = [];
  while (requests < answers.length) {
    await assert.rejects(speech.recognise(audio, chunk, options, patience()), (error) => {
      assert.ok(error instanceof EngineUnavailable);
      waits.push(error.retryAfterMs);
      words.push(error.message);
      return true;
    });
  }
  assert.deepEqual(waits, [7_000, 0, 0]);
  // Neither key nor address.
  assert.deepEqual(words, [
    'the transcription endpoint answered 503',
    'the transcription endpoint gave no answer (interrupted)',
    'the transcription endpoint answered 401',
  ]);
});

test('a chunk that the endpoint refuses is a fault of this chunk', async (t) => {
  const speech = await endpoint(t, (_request, response) => response.writeHead(422).end());
  await assert.rejects(speech.recognise(audio, chunk, options, patience()), (error) => {
    assert.ok(error instanceof SpeechError && !error.transient);
    return true;
  });
});

for (const [what, body] of [
  ['no JSON', '<html>'],
  ['another shape', '{"result":"x"}'],
  ['more than 4 MiB', JSON.stringify({ text: 'x'.repeat(5 * 2 ** 20) })],
] as const) {
  test(`an answer of ${what} is an error, not a transcript`, async (t) => {
    const speech = await endpoint(t, (_request, response) => response.writeHead(200).end(body));
    await assert.rejects(speech.recognise(audio, chunk, options, patience()), SpeechError);
  });
}

test('no more requests are under way than allowed', async (t) => {
  let underWay = 0;
  let most = 0;
  const speech = await endpoint(t, (_request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    setImmediate(() => {
      underWay -= 1;
      answer(response, { text: 'Yes.' });
    });
  });
  await Promise.all(Array.from({ length: 8 }, () => speech.recognise(audio, chunk, options, patience())));
  assert.ok(most <= 2);
});

test('an endpoint on a private address that the operator has not allowed is not reached', async (t) => {
  const speech = await endpoint(t, () => assert.fail('reached'), false);
  await assert.rejects(
    speech.recognise(audio, chunk, options, patience()),
    /the transcription endpoint gave no answer \(blocked\)/,
  );
});
