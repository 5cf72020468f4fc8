/** How much an account may prepare before jobs use it: by bytes, by number, and not past it by haste. */
import assert from 'node:assert/strict';
import { sweep } from '../../src/upload/sweep.ts';
import { uploadStore } from '../../src/upload/upload-store.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { onBothStorages, type StorageContext } from '../support/storage-suite.ts';
import { type MultipartUpload, type Prepared, putSingle, UploadClient } from '../support/upload-client.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const mebibyte = 1024 * 1024;
const minute = 60_000;
const half = { filename: 'a.mp3', size: 500 * mebibyte };

async function freeClient(context: StorageContext) {
  const { account, headers } = await context.createAccount('free');
  return { account, client: new UploadClient(context.url, headers) };
}

/** A job of the account uses this upload from now on. */
async function use(
  { db, clock }: StorageContext,
  accountId: string,
  { key, storage }: Prepared,
): Promise<void> {
  const transcriptionId = crypto.randomUUID();
  await db.query(
    `insert into transcription (id, account_id, filename, source, options) values ($1, $2, 'a', '{}', '{}')`,
    [transcriptionId, accountId],
  );
  const upload = await uploadStore.find(db, { accountId, key, storage: storage as 'local' | 's3' });
  assert.ok(await uploadStore.use(db, { uploadId: upload?.id ?? '', transcriptionId, at: clock.date() }));
}

function sweepAfter(context: StorageContext, ms: number) {
  context.clock.skewMs = ms;
  const { db, stores, clock } = context;
  return sweep({ db, stores, clock, logger: silentLogger, retentionDays: 30 });
}

onBothStorages('limits of an account', (storageCase) => {
  storageCase('uploads that no job uses have at most the bytes of the plan', async (context) => {
    const { account, client } = await freeClient(context);
    const first = (await client.tryPrepare(half)).data as Prepared<MultipartUpload>;
    assert.equal((await client.tryPrepare(half)).status, 200);
    const refused = await client.tryPrepare(half);
    assert.deepEqual([refused.status, refused.code], [413, 'file_too_large']);
    assert.match(
      refused.message ?? '',
      /no transcription uses yet .* 1,073,741,824 bytes .* have 1,048,576,000/,
    );
    // Of several faults the one that comes first in the operation's order.
    assert.equal((await client.tryPrepare({ ...half, filename: 'a.txt' })).code, 'file_too_large');
    assert.equal((await client.tryPrepare({ filename: 'a.mp3', size: 24 * mebibyte })).status, 200);
    assert.equal((await client.abort(first)).status, 204);
    assert.equal((await client.tryPrepare(half)).status, 200);
    const small = await freeClient(context);
    for (let job = 0; job < 4; job += 1) {
      const prepared = await small.client.prepareSingle(15 * mebibyte);
      await use(context, small.account.id, prepared);
    }
    await context.db.query('update upload set size_bytes = $2 where account_id = $1', [
      small.account.id,
      500 * mebibyte,
    ]);
    assert.equal((await small.client.tryPrepare(half)).status, 200, 'what a job uses does not count');
    assert.notEqual(account.id, small.account.id);
  });

  storageCase('ten at the same moment get no more than one after the other', async (context) => {
    const { client } = await freeClient(context);
    const body = { filename: 'a.mp3', size: 300 * mebibyte };
    const answers = await Promise.all(Array.from({ length: 10 }, () => client.tryPrepare(body)));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [...Array(3).fill(200), ...Array(7).fill(413)],
    );
  });

  storageCase('the number of open uploads is limited, and each that ends makes room', async (context) => {
    const { account, client } = await freeClient(context);
    const size = 16 * mebibyte;
    const prepared = await Promise.all(Array.from({ length: 20 }, () => client.prepareMultipart(size)));
    const refused = await client.tryPrepare({ filename: 'a.mp3', size });
    assert.deepEqual([refused.status, refused.code], [429, 'rate_limited']);
    assert.match(refused.message ?? '', /has 20 open uploads, and its plan allows 20/);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    const [first] = prepared;
    assert.ok(first && (await client.abort(first)).status === 204);
    const single = await client.prepareSingle(1000);
    assert.equal((await client.tryPrepare({ filename: 'a.mp3', size: 1 })).status, 429);
    await use(context, account.id, single);
    assert.equal((await client.tryPrepare({ filename: 'a.mp3', size: 1 })).status, 200);
  });

  storageCase('what was prepared and never sent stops counting soon after its URL ended', async (context) => {
    const { client } = await freeClient(context);
    const sent = wavBytes(1);
    const arrived = await client.prepareSingle(sent.length);
    assert.equal((await putSingle(arrived, sent)).status, 200);
    for (let upload = 1; upload < 20; upload += 1) await client.prepareSingle(10 * mebibyte);
    const isFull = async () => (await client.tryPrepare({ filename: 'a.mp3', size: 1 })).status === 429;
    await sweepAfter(context, 70 * minute);
    context.clock.skewMs = 0;
    assert.ok(await isFull(), 'a transfer may still run');
    await sweepAfter(context, 80 * minute);
    context.clock.skewMs = 0;
    for (let upload = 1; upload < 20; upload += 1) await client.prepareSingle(10 * mebibyte);
    assert.equal(await isFull(), false, 'the one that arrived is no open upload any more');
    assert.equal((await context.store.head(arrived.key))?.sizeBytes, sent.length);
  });
});
