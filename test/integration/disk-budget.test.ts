/** A real disk of 96 MiB with a reserve: whatever clients do, the reserve stays whole and others still get their turn. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { spaceOf } from '../../src/platform/disk/disk-budget.ts';
import { onCleanup } from '../support/cleanup.ts';
import { mountSmallDisk, skipWithoutMounts } from '../support/small-disk.ts';
import { type Prepared, putSingle, type SingleUpload, UploadClient } from '../support/upload-client.ts';
import { startUploadService } from '../support/upload-service.ts';

const mebibyte = 1024 * 1024;
const diskMebibytes = 96;
const reserveBytes = 16 * mebibyte;
const minute = 60_000;

async function startOnSmallDisk(t: TestContext) {
  const disk = await mountSmallDisk(t, diskMebibytes);
  const service = await startUploadService(t, {
    directory: disk.directory,
    multipartThresholdBytes: 90 * mebibyte,
    diskReserveBytes: reserveBytes,
  });
  const newClient = async () => new UploadClient(service.url, (await service.createAccount('free')).headers);
  let leastFree = Number.POSITIVE_INFINITY;
  const look = async () => {
    leastFree = Math.min(leastFree, (await spaceOf([disk.directory])).freeBytes);
  };
  const watch = setInterval(() => void look().catch(() => {}), 2);
  onCleanup(t, async () => clearInterval(watch));
  const assertReserve = async () => {
    await look();
    assert.ok(leastFree >= reserveBytes, `only ${leastFree} bytes were free`);
  };
  return { service, directory: disk.directory, newClient, assertReserve };
}

function body(mebibytes: number): Buffer<ArrayBuffer> {
  return Buffer.alloc(mebibytes * mebibyte, 1);
}

async function preparedMany(client: UploadClient, count: number, mebibytes: number) {
  const answers = await Promise.all(
    Array.from({ length: count }, () => client.tryPrepare({ filename: 'a.wav', size: mebibytes * mebibyte })),
  );
  const granted = answers.filter(({ status }) => status === 200);
  for (const { status, code } of answers.filter((answer) => !granted.includes(answer)))
    assert.deepEqual([status, code], [503, 'api_uploads_unavailable']);
  return granted.map(({ data }) => data as Prepared<SingleUpload>);
}

describe('a disk with a reserve', { skip: skipWithoutMounts }, () => {
  test('parallel prepares are promised no more than there is, and all that was promised can be sent', async (t) => {
    const { newClient, assertReserve } = await startOnSmallDisk(t);
    const client = await newClient();
    const granted = await preparedMany(client, 30, 8);
    while (granted.length < 11) {
      // At the same moment some may count twice; one after the other all of the 80 MiB above the reserve is given.
      const [next] = await preparedMany(client, 1, 8);
      if (!next) break;
      granted.push(next);
    }
    assert.equal(granted.length, 10);
    const puts = await Promise.all(granted.map((one) => putSingle(one, body(8))));
    assert.deepEqual(new Set(puts.map(({ status }) => status)), new Set([200]));
    await assertReserve();
  });

  test('one account that fills its share with unused uploads leaves room for another', async (t) => {
    const { newClient, assertReserve } = await startOnSmallDisk(t);
    const [greedy, other, third] = [await newClient(), await newClient(), await newClient()];
    for (let one = 0; one < 30; one += 1) {
      const [prepared] = await preparedMany(greedy, 1, 4);
      if (!prepared) break;
      assert.equal((await putSingle(prepared, body(4))).status, 200);
    }
    const refused = await greedy.tryPrepare({ filename: 'a.wav', size: 4 * mebibyte });
    assert.deepEqual([refused.status, refused.code], [503, 'api_uploads_unavailable']);
    for (const client of [other, third]) {
      const [prepared] = await preparedMany(client, 1, 4);
      assert.ok(prepared, 'another account is let in');
      assert.equal((await putSingle(prepared, body(4))).status, 200);
    }
    await assertReserve();
  });

  test('promised room comes back when the URL has ended without a byte', async (t) => {
    const { service, newClient, assertReserve } = await startOnSmallDisk(t);
    const client = await newClient();
    assert.equal((await preparedMany(client, 1, 72)).length, 1);
    assert.equal((await preparedMany(client, 1, 16)).length, 0);
    service.clock.skewMs = 16 * minute;
    assert.equal((await preparedMany(client, 1, 72)).length, 1);
    await assertReserve();
  });

  test('room that something else took is missing to a promised PUT, and to nobody when it is back', async (t) => {
    const { service, directory, newClient, assertReserve } = await startOnSmallDisk(t);
    const client = await newClient();
    const [first, second] = await preparedMany(client, 2, 24);
    assert.ok(first && second);
    const other = join(directory, 'database');
    await writeFile(other, body(40));
    assert.equal((await putSingle(first, body(24))).status, 200);
    const refused = await putSingle(second, body(24));
    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /<Code>ServiceUnavailable<\/Code>/);
    await assertReserve();

    await writeFile(other, body(60));
    await assert.rejects(service.local.check(), { name: 'StorageUnavailable' });
    const late = await client.tryPrepare({ filename: 'a.wav', size: 1 });
    assert.deepEqual([late.status, late.code], [503, 'api_uploads_unavailable']);
    await writeFile(other, '');
    await service.local.check();
    assert.equal((await putSingle(second, body(24))).status, 200);
  });

  test("a job's own objects stop at the reserve as uploads do, and nothing of them is left", async (t) => {
    const { service, newClient, assertReserve } = await startOnSmallDisk(t);
    const client = await newClient();
    const [prepared] = await preparedMany(client, 1, 30);
    assert.ok(prepared);
    async function* samples() {
      for (let i = 0; i < 1_000; i += 1) yield body(1);
    }
    const key = `work/${crypto.randomUUID()}/audio.s16le`;
    await assert.rejects(service.local.write(key, Readable.from(samples())), { name: 'StorageUnavailable' });
    await assert.rejects(service.local.write(key, Readable.from([]), 60 * mebibyte), {
      name: 'StorageUnavailable',
    });
    assert.equal(await service.local.head(key), undefined);
    assert.equal((await putSingle(prepared, body(30))).status, 200, 'what was promised is still there');
    await assertReserve();
  });
});
