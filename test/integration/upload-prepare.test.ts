/** Prepare: checks in the decided order, and targets, on both storages. */
import assert from 'node:assert/strict';
import { onBothStorages } from '../support/storage-suite.ts';
import { type MultipartUpload, type Prepared, putSingle, UploadClient } from '../support/upload-client.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

onBothStorages('prepare', (storageCase) => {
  storageCase('five gibibytes are 320 parts of 16 MiB with an URL each', async ({ client, storage }) => {
    const answer = await client.tryPrepare({
      filename: 'long.mkv',
      size: 5 * gibibyte,
      content_type: 'video/x-matroska',
    });
    assert.equal(answer.status, 200);
    const { upload, ...target } = answer.data as Prepared<MultipartUpload>;
    assert.equal(target.storage, storage);
    assert.equal(target.content_type, 'video/x-matroska');
    assert.deepEqual(Object.keys(upload).toSorted(), ['part_size', 'parts', 'type', 'upload_id']);
    assert.equal(upload.part_size, 16_777_216);
    assert.deepEqual(
      upload.parts.map((part) => part.part_number),
      Array.from({ length: 320 }, (_, index) => index + 1),
    );
    assert.equal(new Set(upload.parts.map((part) => part.url)).size, 320);
    for (const { url } of upload.parts) assert.ok(URL.canParse(url));
  });

  storageCase('single below the threshold, multipart from it on', async ({ client }) => {
    assert.equal((await client.prepare(16 * mebibyte - 1)).upload.type, 'single');
    const multipart = await client.prepare(16 * mebibyte);
    assert.equal(multipart.upload.type, 'multipart');
    const single = await client.prepareSingle(1);
    assert.deepEqual(Object.keys(single.upload).toSorted(), ['headers', 'method', 'type', 'url']);
    assert.equal(single.upload.method, 'PUT');
  });

  storageCase('a missing or wrong field is invalid_upload', async ({ client }) => {
    const good = { filename: 'talk.mp3', size: 10 };
    const bodies: unknown[] = [
      {},
      { size: 10 },
      { filename: 'talk.mp3' },
      ...['', '   ', null, 7, [], {}, 'x'.repeat(237) + '.mp3'.repeat(2)].map((filename) => ({
        ...good,
        filename,
      })),
      ...[0, -1, -1e300, 1.5, '10', null, [], {}].map((size) => ({
        ...good,
        size,
      })),
      ...[7, [], {}, true, 'a'.repeat(300)].map((content_type) => ({ ...good, content_type })),
      ...['yes', 1, [], {}].map((speaker_diarization) => ({ ...good, speaker_diarization })),
      ...['[]', '"x"', 'null', '7', '{', '', 'filename=x'],
    ];
    for (const body of bodies) {
      const answer = await client.tryPrepare(body);
      assert.deepEqual([answer.status, answer.code], [400, 'invalid_upload'], JSON.stringify(body));
    }
    for (const body of [
      { ...good, content_type: null, speaker_diarization: false, unknown: 1 },
      { ...good, content_type: '' },
    ]) {
      assert.equal((await client.tryPrepare(body)).status, 200);
    }
  });

  storageCase(
    'names in any script, with path tricks or control characters, are labels and never paths',
    async (context) => {
      const bytes = wavBytes(0.1);
      for (const filename of [
        `${'文'.repeat(236)}.wav`,
        `${'🎧'.repeat(236)}.wav`,
        'مقابلة.wav',
        '../../../../etc/passwd.wav',
        '/etc/cron.d/x.wav',
        'C:\\Windows\\system32\\a.wav',
        'a\0b\r\nX-Evil: 1.wav',
        '..wav',
        '%2e%2e%2f%00.wav',
        "'; drop table upload; --.wav",
        '\ud800\udfffwhole.wav',
        '\u202egnp.wav',
      ]) {
        const prepared = await context.client.prepareSingle(bytes.length, filename);
        assert.match(prepared.key, /^uploads\/[0-9a-f-]{36}\/[0-9a-f-]{36}$/);
        assert.equal((await putSingle(prepared, bytes)).status, 200);
        assert.equal((await context.store.head(prepared.key))?.sizeBytes, bytes.length);
      }
      const tooLong = await context.client.tryPrepare({ filename: `${'文'.repeat(237)}.wav`, size: 1 });
      assert.equal(tooLong.code, 'invalid_upload');
    },
  );

  storageCase('of several faults the first in the decided order is answered', async (context) => {
    const { account, headers } = await context.createAccount('free');
    const free = new UploadClient(context.url, headers);
    const bad = { filename: 'notes.txt', size: 9 * gibibyte, speaker_diarization: true };
    assert.equal((await free.tryPrepare({ ...bad, filename: '' })).code, 'invalid_upload');
    const useUp = 'insert into daily_usage (account_id, day, transcriptions) values ($1, $2, 10)';
    await context.db.query(useUp, [account.id, context.clock.date().toISOString().slice(0, 10)]);
    assert.equal((await free.tryPrepare(bad)).code, 'pro_required');
    const limited = await free.tryPrepare({ ...bad, speaker_diarization: false });
    assert.deepEqual([limited.status, limited.code], [429, 'daily_limit_reached']);
    assert.match(limited.headers.get('retry-after') ?? '', /^\d+$/);
    const other = await context.clientOn('free');
    assert.equal((await other.tryPrepare({ ...bad, speaker_diarization: false })).code, 'file_too_large');
    assert.equal((await other.tryPrepare({ filename: 'notes.txt', size: 1 })).code, 'unsupported_type');
    const mib500 = 500 * mebibyte;
    assert.equal((await other.tryPrepare({ filename: 'a.mp3', size: mib500 + 1 })).code, 'file_too_large');
    assert.equal((await other.tryPrepare({ filename: 'a.mp3', size: mib500 })).status, 200);
    assert.equal((await context.client.tryPrepare({ ...bad, filename: 'a.mp3', size: 1 })).status, 200);
  });

  storageCase('a size is too large however large it is', async ({ client }) => {
    for (const size of [
      '5368709121',
      '9007199254740991',
      '9007199254740992',
      '9007199254740993',
      '1e300',
      '1e400',
    ]) {
      const answer = await client.tryPrepare(`{"filename":"a.mp3","size":${size}}`);
      assert.deepEqual([answer.status, answer.code], [413, 'file_too_large'], size);
    }
  });

  storageCase('a refused prepare stores nothing', async (context) => {
    const count = async () => (await context.db.query('select 1 from upload')).length;
    const before = await count();
    for (const body of [{}, { filename: 'a.txt', size: 1 }, { filename: 'a.mp3', size: 9 * gibibyte }]) {
      assert.ok((await context.client.tryPrepare(body)).status >= 400);
    }
    assert.equal(await count(), before);
  });
});
