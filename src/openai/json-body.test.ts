import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readJson } from './json-body.ts';

test('a body that stops in the middle is given up when its time is over', async () => {
  const late = new AbortController();
  const { promise: never } = Promise.withResolvers<void>();
  async function* body() {
    yield Buffer.from('{"model":');
    late.abort();
    await never;
    yield Buffer.from('"x"}');
  }
  await assert.rejects(readJson(body(), late.signal), { status: 408 });
});

test('a body that comes in pieces is read whole', async () => {
  async function* body() {
    yield Buffer.from('{"model":');
    yield Buffer.from('"whisper-1"}');
  }
  const fields = await readJson(body(), new AbortController().signal);
  assert.deepEqual(fields, { model: 'whisper-1' });
});
