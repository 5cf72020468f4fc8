/** Complete and abort: the same answers on both storages. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { onBothStorages, type StorageContext } from '../support/storage-suite.ts';
import {
  type MultipartUpload,
  multipartOf,
  type Part,
  type Prepared,
  putAllParts,
  putPart,
} from '../support/upload-client.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const mebibyte = 1024 * 1024;
const hour = 3_600_000;
const path = '/api/v1/uploads/multipart';

/** Three parts: 16 MiB, 16 MiB and a short one, every byte different from its neighbours in another part. */
const bytes = Buffer.concat([wavBytes(1000), wavBytes(100)]);

async function uploaded({ client }: StorageContext): Promise<[Prepared<MultipartUpload>, Part[]]> {
  const prepared = await client.prepareMultipart(bytes.length);
  return [prepared, await putAllParts(prepared, bytes)];
}

onBothStorages('multipart', (storageCase) => {
  storageCase('parts arrive in any order, in parallel and again, and become one object', async (context) => {
    const { client, store } = context;
    const prepared = await client.prepareMultipart(bytes.length);
    assert.equal(prepared.upload.part_size, 16 * mebibyte);
    assert.deepEqual(
      prepared.upload.parts.map((part) => part.part_number),
      [1, 2, 3],
    );
    const third = await putPart(prepared, bytes, 3);
    await putPart(prepared, Buffer.alloc(bytes.length, 1), 1);
    const [second, first] = await Promise.all([putPart(prepared, bytes, 2), putPart(prepared, bytes, 1)]);
    assert.match(first.etag, /^"[0-9a-f]{32}"$/);
    assert.equal(await store.head(prepared.key), undefined);
    const answer = await client.complete(prepared, [first, second, third]);
    assert.equal(answer.status, 200, answer.code);
    assert.deepEqual(answer.data, { key: prepared.key, storage: prepared.storage });
    assert.ok(bytes.equals(await buffer(await store.read(prepared.key))));
    for (const [start, end] of [
      [0, 0],
      [16 * mebibyte - 3, 16 * mebibyte + 3],
      [5, 32 * mebibyte + 9],
      [bytes.length - 7, bytes.length - 1],
    ] as const) {
      const piece = await buffer(await store.read(prepared.key, { range: { start, end } }));
      assert.ok(bytes.subarray(start, end + 1).equals(piece), `bytes ${start} to ${end}`);
    }
  });

  storageCase('ETags count with and without their quotes', async (context) => {
    const [prepared, parts] = await uploaded(context);
    const bare = parts.map(({ part_number, etag }) => ({ part_number, etag: etag.replaceAll('"', '') }));
    assert.equal((await context.client.complete(prepared, bare)).status, 200);
    assert.equal((await context.client.complete(prepared, parts)).status, 200);
  });

  storageCase(
    'a complete repeated after success answers the same, with other parts it is refused',
    async (context) => {
      const [prepared, parts] = await uploaded(context);
      const first = await context.client.complete(prepared, parts);
      const again = await context.client.complete(prepared, parts);
      assert.deepEqual([again.status, again.data], [200, first.data]);
      const other = await context.client.complete(prepared, parts.toReversed());
      assert.deepEqual([other.status, other.code], [400, 'invalid_multipart_parts']);
      context.clock.skewMs = 5 * hour;
      assert.equal((await context.client.complete(prepared, parts)).status, 200);
    },
  );

  storageCase('the same complete sent many times at once succeeds each time', async (context) => {
    const [prepared, parts] = await uploaded(context);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => context.client.complete(prepared, parts)),
    );
    for (const answer of answers) assert.equal(answer.status, 200, answer.code);
    assert.equal((await context.store.head(prepared.key))?.sizeBytes, bytes.length);
  });

  storageCase(
    'a wrong, missing, surplus, repeated or misplaced part is refused, then the right list is taken',
    async (context) => {
      const { client } = context;
      const prepared = await client.prepareMultipart(bytes.length);
      const first = await putPart(prepared, bytes, 1);
      const third = await putPart(prepared, bytes, 3);
      const absent = { part_number: 2, etag: first.etag };
      const early = await client.complete(prepared, [first, absent, third]);
      assert.deepEqual([early.status, early.code], [400, 'invalid_multipart_parts']);
      const second = await putPart(prepared, bytes, 2);
      const wrongLists: unknown[] = [
        [first, { ...second, etag: third.etag }, third],
        [first, { ...second, etag: '"00000000000000000000000000000000"' }, third],
        [first, { ...second, etag: 'nonsense' }, third],
        [first, second],
        [second, third],
        [first, second, third, { part_number: 4, etag: first.etag }],
        [first, second, second],
        [first, third, second],
        [third, second, first],
        [],
        [first, { part_number: 2 }, third],
        [first, { part_number: 2, etag: '' }, third],
        [first, { part_number: 2, etag: null }, third],
        [first, { etag: second.etag }, third],
        [first, { ...second, part_number: 0 }, third],
        [first, { ...second, part_number: -2 }, third],
        [first, { ...second, part_number: 2.5 }, third],
        [first, { ...second, part_number: '2' }, third],
        [first, null, third],
        'parts',
        null,
        undefined,
        { 0: first },
      ];
      for (const list of wrongLists) {
        const answer = await client.complete(prepared, list);
        assert.deepEqual(
          [answer.status, answer.code],
          [400, 'invalid_multipart_parts'],
          JSON.stringify(list),
        );
      }
      assert.equal(await context.store.head(prepared.key), undefined);
      assert.equal((await client.complete(prepared, [first, second, third])).status, 200);
    },
  );

  storageCase(
    'an unknown, foreign or mismatched key, storage or upload id is refused before the parts',
    async (context) => {
      const { client } = context;
      const [prepared, parts] = await uploaded(context);
      const [other] = await uploaded(context);
      const single = await client.prepareSingle(100);
      const session = multipartOf(prepared);
      const wrongSessions: unknown[] = [
        { ...session, key: other.key },
        { ...session, key: single.key },
        { ...session, key: 'uploads/nothing' },
        { ...session, key: '../../etc/passwd' },
        { ...session, key: '' },
        { ...session, key: 7 },
        { ...session, storage: context.storage === 's3' ? 'local' : 's3' },
        { ...session, storage: 'disk' },
        { ...session, storage: null },
        { ...session, upload_id: other.upload.upload_id },
        { ...session, upload_id: 'x' },
        { ...session, upload_id: '../..' },
        { ...session, upload_id: undefined },
        {},
      ];
      for (const wrong of wrongSessions) {
        for (const list of [parts, 'no parts']) {
          const complete = await client.call('POST', path, { ...(wrong as object), parts: list });
          assert.deepEqual(
            [complete.status, complete.code],
            [400, 'invalid_multipart_upload'],
            JSON.stringify(wrong),
          );
        }
        const abort = await client.call('DELETE', path, wrong);
        assert.deepEqual(
          [abort.status, abort.code],
          [400, 'invalid_multipart_upload'],
          JSON.stringify(wrong),
        );
      }
      for (const body of ['[]', 'null', '"x"', '{', '']) {
        assert.equal((await client.call('POST', path, body)).code, 'invalid_multipart_upload', body);
        assert.equal((await client.call('DELETE', path, body)).code, 'invalid_multipart_upload', body);
      }
      const stranger = await context.clientOn('pro');
      assert.equal((await stranger.complete(prepared, parts)).code, 'invalid_multipart_upload');
      assert.equal((await stranger.abort(prepared)).code, 'invalid_multipart_upload');
      assert.equal((await client.complete(prepared, parts)).status, 200);
    },
  );

  storageCase('a list that is not the plan is refused before the store is asked', async (context) => {
    const prepared = await context.client.prepareMultipart(bytes.length);
    // Gone behind our back: whoever asks the store hears that there is no such session.
    await context.store.delete(prepared.key);
    const repeated = Array.from({ length: 20_000 }, () => ({ part_number: 1, etag: 'a' }));
    const [one] = repeated;
    for (const parts of [repeated, [one], [one, one], []]) {
      const answer = await context.client.complete(prepared, parts);
      assert.deepEqual(
        [answer.status, answer.code],
        [400, 'invalid_multipart_parts'],
        `${parts.length} parts`,
      );
    }
    const planned = [1, 2, 3].map((part_number) => ({ part_number, etag: 'a' }));
    assert.equal((await context.client.complete(prepared, planned)).code, 'invalid_multipart_upload');
  });

  storageCase('completing after four hours is refused', async (context) => {
    const [prepared, parts] = await uploaded(context);
    context.clock.skewMs = 4 * hour + 1000;
    const late = await context.client.complete(prepared, parts);
    assert.deepEqual([late.status, late.code], [400, 'invalid_multipart_upload']);
    assert.equal(await context.store.head(prepared.key), undefined);
  });

  storageCase(
    'abort erases the parts; it may be repeated; later parts and complete are refused',
    async (context) => {
      const { client, store } = context;
      const [prepared, parts] = await uploaded(context);
      for (let round = 0; round < 3; round += 1) assert.equal((await client.abort(prepared)).status, 204);
      const part = prepared.upload.parts[2];
      const put = await fetch(part?.url ?? '', { method: 'PUT', body: bytes.subarray(32 * mebibyte) });
      assert.equal(put.status, 404);
      assert.match(await put.text(), /<Code>NoSuchUpload<\/Code>/);
      const answer = await client.complete(prepared, parts);
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_multipart_upload']);
      assert.equal(await store.head(prepared.key), undefined);
      await assert.rejects(
        store.completeMultipart({
          key: prepared.key,
          uploadId: prepared.upload.upload_id,
          parts: parts.map(({ part_number, etag }) => ({ partNumber: part_number, etag })),
          partSizesBytes: [16 * mebibyte, 16 * mebibyte, bytes.length - 32 * mebibyte],
        }),
        { name: 'NoSuchUpload' },
      );
    },
  );

  storageCase('a completed upload cannot be aborted', async (context) => {
    const [prepared, parts] = await uploaded(context);
    assert.equal((await context.client.complete(prepared, parts)).status, 200);
    const answer = await context.client.abort(prepared);
    assert.deepEqual([answer.status, answer.code], [400, 'invalid_multipart_upload']);
    assert.equal((await context.store.head(prepared.key))?.sizeBytes, bytes.length);
  });

  storageCase(
    'of a complete and an abort at the same time one wins, and the store agrees with it',
    async (context) => {
      for (let round = 0; round < 4; round += 1) {
        const [prepared, parts] = await uploaded(context);
        const [complete, abort] = await Promise.all([
          context.client.complete(prepared, parts),
          context.client.abort(prepared),
        ]);
        assert.notEqual(complete.status === 200, abort.status === 204, `${complete.status} ${abort.status}`);
        const isThere = (await context.store.head(prepared.key)) !== undefined;
        assert.equal(isThere, complete.status === 200);
      }
    },
  );

  storageCase(
    'a complete whose answer was lost after the store had joined the parts can be repeated',
    async (context) => {
      const [prepared, parts] = await uploaded(context);
      await context.store.completeMultipart({
        key: prepared.key,
        uploadId: prepared.upload.upload_id,
        parts: parts.map(({ part_number, etag }) => ({ partNumber: part_number, etag })),
        partSizesBytes: [16 * mebibyte, 16 * mebibyte, bytes.length - 32 * mebibyte],
      });
      assert.equal((await context.client.complete(prepared, parts)).status, 200);
    },
  );
});
