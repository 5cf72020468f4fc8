import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { llamaTokens } from './llama-tokens.ts';
import type { ModelFile } from './model.ts';
import { downloadFiles } from './model-download.ts';
import { models } from './model-manifest.ts';
import { defaultModelIds, ModelStore } from './model-store.ts';

async function temporaryDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-models-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

const unreachable = () => Promise.reject(new Error('connect ENETUNREACH'));
const content = Buffer.from('the model');
const file: ModelFile = {
  name: 'model.onnx',
  source: { url: 'https://models.example/model.onnx' },
  sha256: createHash('sha256').update(content).digest('hex'),
  sizeBytes: content.length,
};

async function* parts(...buffers: Buffer[]): AsyncGenerator<Uint8Array> {
  yield* buffers;
}

const download = (directory: string, body: () => Promise<AsyncIterable<Uint8Array>>) =>
  downloadFiles([file], directory, {
    httpsDownload: body,
    signal: AbortSignal.timeout(5000),
    onBytes() {},
  });

test('a file is installed when its size and hash are right', async (t) => {
  const directory = await temporaryDirectory(t);
  await download(directory, async () => parts(content.subarray(0, 4), content.subarray(4)));
  assert.deepEqual(await readdir(directory), ['model.onnx']);
});

for (const [what, body] of [
  ['altered', parts(Buffer.from('the m0del'))],
  ['truncated', parts(content.subarray(0, 5))],
  ['too long', parts(content, Buffer.alloc(1000))],
] as const) {
  test(`a file that is ${what} is refused and leaves nothing behind`, async (t) => {
    const directory = await temporaryDirectory(t);
    await assert.rejects(
      download(directory, async () => body),
      /model\.onnx is/,
    );
    assert.deepEqual(await readdir(directory), []);
  });
}

test('an address that cannot be reached is named in one sentence', async (t) => {
  const directory = await temporaryDirectory(t);
  await assert.rejects(
    download(directory, unreachable),
    /https:\/\/models\.example\/model\.onnx cannot be reached: connect ENETUNREACH\. Check the connection/,
  );
});

test('a model with a file that differs from the manifest does not count as installed', async (t) => {
  const directory = await temporaryDirectory(t);
  const store = new ModelStore({ directory, httpsDownload: unreachable });
  assert.equal(await store.installed('silero-vad'), false);
  await writeFile(join(directory, 'silero-vad'), 'not even a directory');
  assert.equal(await store.installed('silero-vad'), false);
});

test('an unknown model is refused with the list of the known ones', async (t) => {
  const store = new ModelStore({ directory: await temporaryDirectory(t), httpsDownload: unreachable });
  await assert.rejects(
    store.install(['nothing'], { signal: AbortSignal.timeout(5000) }),
    /no model "nothing"; the models are: .*moonshine-base/,
  );
});

test('the manifest is consistent: unique ids and file names, whole hashes, sizes above zero, a licence each', () => {
  assert.equal(new Set(models.map((model) => model.id)).size, models.length);
  for (const model of models) {
    assert.equal(new Set(model.files.map((each) => each.name)).size, model.files.length);
    assert.ok(model.licence !== '' && model.languages.length > 0 && model.memoryBytes > 0);
    for (const each of model.files) {
      assert.match(each.sha256, /^[0-9a-f]{64}$/, `${model.id}/${each.name}`);
      assert.ok(each.sizeBytes > 0);
      assert.match(each.name, /^[\w.-]+$/);
    }
  }
  assert.ok(defaultModelIds().includes('moonshine-base') && defaultModelIds().includes('silero-vad'));
});

test('a vocabulary becomes lines of base64 and id, bytes and spaces as the recognizer wants them', () => {
  const vocabulary = Buffer.from(['<unk>', '<0x41>', '▁the'].join('\n')).toString('base64');
  const lines = llamaTokens(`const llama_vocab_base64 = "${vocabulary}"`).toString().split('\n');
  assert.deepEqual(lines, ['PHVuaz4= 0', 'QQ== 1', 'IHRoZQ== 2', '']);
});

test('models of another directory are used from there, and a broken link is replaced', async (t) => {
  const directory = await temporaryDirectory(t);
  const [shared, own] = [join(directory, 'shared'), join(directory, 'own')];
  await mkdir(join(shared, 'bundle'), { recursive: true });
  const store = new ModelStore({
    directory: own,
    httpsDownload: () => Promise.reject(new Error('no network')),
  });
  await store.adoptFrom(shared);
  assert.equal(await store.usable('bundle'), true);
  await rm(join(shared, 'bundle'), { recursive: true });
  assert.equal(await store.usable('bundle'), false);
  await mkdir(join(shared, 'bundle'));
  await store.adoptFrom(shared);
  await store.adoptFrom(shared);
  await store.adoptFrom(own);
  assert.equal(await store.usable('bundle'), true);
});
