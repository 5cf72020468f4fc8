import assert from 'node:assert/strict';
import { on } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { forkModule } from '../../src/platform/process/subprocess.ts';
import type { SpeechAnswer, SpeechCancel, SpeechRequest } from '../../src/speech/process/speech-message.ts';
import { SpeechProcess } from '../../src/speech/process/speech-process.ts';
import { SpeechProcessDied } from '../../src/speech/speech.ts';
import { childProcesses } from '../support/child-processes.ts';
import { onCleanup } from '../support/cleanup.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { patience } from '../support/speech.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'speech', 'process', 'speech-process-main.ts');

/** Without models the answer is a guess, which takes a moment for each chunk. */
const silentChunks = Array.from({ length: 100 }, (_, index) => {
  const span = { startSample: 0, endSample: 100 };
  const chunk = { index, ...span, utterances: [{ ...span, spans: [span] }] };
  return { audio: new Uint8Array(200), chunk };
});
const languages = (id: number): SpeechRequest => ({ type: 'detect-languages', id, chunks: silentChunks });

const settings = {
  modelsDirectory: '/nonexistent',
  otherLanguages: 'whisper-base',
  verbatim: false,
  niceness: 0,
  memoryBytesMax: 2 ** 40,
};

/** A real speech process without models, spoken to as its parent does. */
function speechProcess(t: TestContext) {
  const child = forkModule(main, { args: [JSON.stringify(settings)] });
  onCleanup(t, async () => void child.kill());
  const messages = on(child, 'message', { signal: patience() });
  return {
    send: (message: SpeechRequest | SpeechCancel) => child.send(message),
    async answer(): Promise<SpeechAnswer> {
      const [answer] = (await messages.next()).value as [SpeechAnswer];
      return answer;
    },
  };
}

test('a cancellation that comes after its request was answered does not reach the next request', async (t) => {
  const { send, answer } = speechProcess(t);
  send(languages(1));
  assert.equal((await answer()).type, 'languages-detected');
  send(languages(2));
  // Many, so that some come while the second request is under way.
  for (let i = 0; i < 20; i += 1) {
    send({ type: 'cancel', id: 1 });
    await setImmediate();
  }
  const next = await answer();
  assert.deepEqual([next.type, next.id], ['languages-detected', 2]);
});

test('a cancelled request is answered once, under its own id, whether it is under way or waits', async (t) => {
  const { send, answer } = speechProcess(t);
  for (const id of [1, 2, 3]) send(languages(id));
  send({ type: 'cancel', id: 1 });
  send({ type: 'cancel', id: 2 });
  const answers = [await answer(), await answer(), await answer()];
  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, 2, 3],
  );
  assert.deepEqual(
    answers.slice(1).map(({ type }) => type),
    ['failed', 'languages-detected'],
  );
});

test('a process that does not answer is ended after a time that follows the length of the audio', async (t) => {
  const clock = new ManualClock();
  const speech = new SpeechProcess(settings, clock);
  onCleanup(t, () => speech.close());
  const never = new AbortController().signal;
  await speech.detectLanguages(silentChunks.slice(0, 1), never); // It is up and listens.
  const [pid] = childProcesses(process.pid, 'speech-process-main');
  process.kill(pid ?? Number.NaN, 'SIGSTOP');
  const span = { startSample: 0, endSample: 30 * 16_000 };
  const chunk = { index: 0, ...span, utterances: [{ ...span, spans: [span] }] };
  const options = { engine: 'auto', language: 'en', speakers: false };
  const answer = speech.recognise(new Uint8Array(2 * span.endSample), chunk, options, never);
  const outcome = answer.then(
    () => assert.fail('a stopped process cannot answer'),
    (error: unknown) => error,
  );
  await clock.advance(539_000);
  assert.equal(speech.hasEnded, false, 'thirty seconds of audio may take nine minutes on a busy machine');
  await clock.advance(1_000);
  assert.ok((await outcome) instanceof SpeechProcessDied);
});
