/** The seam itself: what the service's own work relies on, on both storages. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { workKey } from '../../src/storage/object-key.ts';
import { onBothStorages } from '../support/storage-suite.ts';

const mebibyte = 1024 * 1024;

function patterned(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE((at * 2_654_435_761) % 4_294_967_296, at);
  return bytes;
}

async function* piecesOf(bytes: Buffer, pieceBytes: number) {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

onBothStorages('object store', (storageCase) => {
  for (const size of [0, 1, 8 * mebibyte - 1, 8 * mebibyte, 8 * mebibyte + 1, 20 * mebibyte + 7]) {
    storageCase(
      `a stream of ${size} bytes is written and read back, whole and in ranges`,
      async ({ store }) => {
        const key = workKey(crypto.randomUUID(), 'audio.pcm');
        const bytes = patterned(size);
        await store.write(key, Readable.from(piecesOf(bytes, 65_521)));
        assert.equal((await store.head(key))?.sizeBytes, size);
        assert.ok(bytes.equals(await buffer(await store.read(key))));
        if (size > 10) {
          const range = { start: size - 9, end: size - 2 };
          assert.ok(
            bytes.subarray(size - 9, size - 1).equals(await buffer(await store.read(key, { range }))),
          );
        }
      },
    );
  }

  storageCase('a buffer replaces what was there', async ({ store }) => {
    const key = workKey(crypto.randomUUID(), 'result.json');
    await store.write(key, Buffer.from('first'));
    await store.write(key, Buffer.from('second'));
    assert.equal((await buffer(await store.read(key))).toString(), 'second');
  });

  storageCase('a source that fails leaves no object', async ({ store }) => {
    const key = workKey(crypto.randomUUID(), 'audio.pcm');
    async function* broken() {
      yield Buffer.alloc(9 * mebibyte);
      throw new Error('the decoder died');
    }
    await assert.rejects(store.write(key, Readable.from(broken())), /the decoder died/);
    assert.equal(await store.head(key), undefined);
  });

  storageCase('what does not exist has no head, cannot be read, and can be deleted', async ({ store }) => {
    const key = workKey(crypto.randomUUID(), 'audio.pcm');
    assert.equal(await store.head(key), undefined);
    await assert.rejects(store.read(key), { name: 'NoSuchObject' });
    await store.delete(key);
  });

  storageCase('objects are listed by prefix until they are deleted', async ({ store }) => {
    const job = crypto.randomUUID();
    const keys = ['a.pcm', 'b.pcm'].map((name) => workKey(job, name));
    for (const key of keys) await store.write(key, Buffer.from('x'));
    const listed = async () => {
      const found: string[] = [];
      for await (const { key, modifiedAt } of store.list('work/')) {
        assert.ok(modifiedAt instanceof Date);
        if (key.includes(job)) found.push(key);
      }
      return found.toSorted();
    };
    assert.deepEqual(await listed(), keys);
    await store.delete(keys[0] ?? '');
    assert.deepEqual(await listed(), keys.slice(1));
  });

  storageCase('a store that works says so', async ({ store }) => store.check(mebibyte));
});
