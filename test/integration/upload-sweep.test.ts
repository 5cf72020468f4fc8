/** The sweep erases what nobody needs, and nothing else, on both storages. */
import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { workKey } from '../../src/storage/object-key.ts';
import { sweep } from '../../src/upload/sweep.ts';
import { startSweepDuty } from '../../src/upload/sweep-duty.ts';
import { uploadStore } from '../../src/upload/upload-store.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { s3ClientFor } from '../support/s3-server.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { onBothStorages, type StorageContext } from '../support/storage-suite.ts';
import { type Prepared, putAllParts, putPart, putSingle } from '../support/upload-client.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const hour = 3_600_000;
const day = 24 * hour;
const bytes = wavBytes(1);
const large = wavBytes(600);

function depsOf({ db, stores, clock }: StorageContext, retentionDays = 30) {
  return { db, stores, clock, logger: silentLogger, retentionDays };
}

async function single(context: StorageContext): Promise<Prepared> {
  const prepared = await context.client.prepareSingle(bytes.length);
  assert.equal((await putSingle(prepared, bytes)).status, 200);
  return prepared;
}

async function completed(context: StorageContext): Promise<Prepared> {
  const prepared = await context.client.prepareMultipart(large.length);
  const parts = await putAllParts(prepared, large);
  assert.equal((await context.client.complete(prepared, parts)).status, 200);
  return prepared;
}

async function isStored({ store }: StorageContext, { key }: { key: string }): Promise<boolean> {
  return (await store.head(key)) !== undefined;
}

/** A job of the account that reads this upload. */
async function jobOn(context: StorageContext, { key, storage }: Prepared): Promise<string> {
  const id = crypto.randomUUID();
  await context.db.query(
    `insert into transcription (id, account_id, filename, source, options) values ($1, $2, 'talk.wav', '{}', '{}')`,
    [id, context.account.id],
  );
  const reference = { accountId: context.account.id, key, storage: storage as 'local' | 's3' };
  const upload = await uploadStore.find(context.db, reference);
  const use = { uploadId: upload?.id ?? '', transcriptionId: id, at: context.clock.date() };
  assert.equal(await uploadStore.use(context.db, use), true);
  return id;
}

async function finish({ db, clock }: StorageContext, id: string): Promise<void> {
  const at = clock.date();
  await db.query(`update transcription set status = 'completed', text = '', finished_at = $2 where id = $1`, [
    id,
    at,
  ]);
}

/** Everything that lies in the store, unfinished uploads included. */
async function remains({ s3, directory }: StorageContext): Promise<string[]> {
  if (!s3) {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`);
  }
  const client = s3ClientFor(s3);
  const objects = (await client.listObjectsV2({ Bucket: s3.bucket })).Contents ?? [];
  const sessions = (await client.listMultipartUploads({ Bucket: s3.bucket })).Uploads ?? [];
  client.destroy();
  return [...objects, ...sessions].map(({ Key }) => Key ?? '');
}

onBothStorages('sweep', (storageCase) => {
  storageCase('an abandoned session is erased after its four hours and an hour of grace', async (context) => {
    const prepared = await context.client.prepareMultipart(large.length);
    await putPart(prepared, large, 1);
    context.clock.skewMs = 4.9 * hour;
    await sweep(depsOf(context));
    context.clock.skewMs = 0;
    const second = await putPart(prepared, large, 2);
    context.clock.skewMs = 5.1 * hour;
    await sweep(depsOf(context));
    context.clock.skewMs = 0;
    const late = await fetch(prepared.upload.parts[1]?.url ?? '', {
      method: 'PUT',
      body: large.subarray(prepared.upload.part_size),
    });
    assert.equal(late.status, 404);
    assert.equal((await context.client.complete(prepared, [second])).code, 'invalid_multipart_upload');
    assert.equal((await context.client.abort(prepared)).status, 204);
    assert.deepEqual(
      (await remains(context)).filter((name) => name.includes(prepared.key)),
      [],
    );
  });

  storageCase('an upload that no job uses is erased after a day, single or multipart', async (context) => {
    const uploads = [await single(context), await completed(context)];
    context.clock.skewMs = 0.9 * day;
    await sweep(depsOf(context));
    for (const upload of uploads) assert.equal(await isStored(context, upload), true);
    context.clock.skewMs = 1.1 * day;
    const report = await sweep(depsOf(context));
    assert.ok((report?.erased ?? 0) >= 2);
    for (const upload of uploads) assert.equal(await isStored(context, upload), false);
  });

  storageCase(
    'media stays as long as a job works with it, and for the retention afterwards',
    async (context) => {
      const upload = await single(context);
      const [first, second] = [await jobOn(context, upload), await jobOn(context, upload)];
      await finish(context, first);
      context.clock.skewMs = 400 * day;
      await sweep(depsOf(context));
      assert.equal(await isStored(context, upload), true, 'the second job still works with it');
      await finish(context, second);
      context.clock.skewMs = 429 * day;
      await sweep(depsOf(context));
      assert.equal(await isStored(context, upload), true, 'kept for 30 days');
      context.clock.skewMs = 431 * day;
      await sweep(depsOf(context));
      assert.equal(await isStored(context, upload), false);
    },
  );

  storageCase('a retention of 0 days still spares what was used in the last hour', async (context) => {
    const upload = await single(context);
    await finish(context, await jobOn(context, upload));
    await sweep(depsOf(context, 0));
    assert.equal(await isStored(context, upload), true);
    context.clock.skewMs = 1.1 * hour;
    await sweep(depsOf(context, 0));
    assert.equal(await isStored(context, upload), false);
  });

  storageCase('work objects go when their job has ended or is gone', async (context) => {
    const upload = await single(context);
    const jobs = {
      busy: await jobOn(context, upload),
      done: await jobOn(context, upload),
      gone: crypto.randomUUID(),
    };
    await finish(context, jobs.done);
    for (const job of Object.values(jobs))
      await context.store.write(workKey(job, 'audio.s16le'), Buffer.from('pcm'));
    await sweep(depsOf(context));
    for (const job of Object.values(jobs)) {
      assert.equal(await isStored(context, { key: workKey(job, 'audio.s16le') }), true, 'fresh ones stay');
    }
    context.clock.skewMs = 2 * hour;
    await sweep(depsOf(context));
    assert.equal(await isStored(context, { key: workKey(jobs.busy, 'audio.s16le') }), true);
    assert.equal(await isStored(context, { key: workKey(jobs.done, 'audio.s16le') }), false);
    assert.equal(await isStored(context, { key: workKey(jobs.gone, 'audio.s16le') }), false);
    await finish(context, jobs.busy);
    await sweep(depsOf(context));
  });

  storageCase(
    'a session whose preparation died before its id was noted is found by its key',
    async (context) => {
      const prepared = await context.client.prepareMultipart(large.length);
      await putPart(prepared, large, 1);
      await context.db.query('update upload set multipart_id = null where object_key = $1', [prepared.key]);
      context.clock.skewMs = 6 * hour;
      await sweep(depsOf(context));
      assert.deepEqual(
        (await remains(context)).filter((name) => name.includes(prepared.key)),
        [],
      );
    },
  );

  storageCase('what a dying process left of its own writes is removed', async (context) => {
    const key = workKey(crypto.randomUUID(), 'audio.s16le');
    if (context.s3) await context.store.startMultipart({ key, contentType: 'application/octet-stream' });
    else await writeFile(join(context.local.incomingDir, crypto.randomUUID()), 'half a file');
    assert.notDeepEqual(await remains(context), []);
    context.clock.skewMs = 2 * day;
    await sweep(depsOf(context, 0));
    await sweep(depsOf(context, 0));
    assert.deepEqual(await remains(context), []);
  });

  storageCase('of two sweeps at once one does the work', async (context) => {
    const reports = await Promise.all(Array.from({ length: 4 }, () => sweep(depsOf(context))));
    assert.ok(reports.some((report) => report !== undefined));
    assert.ok(reports.some((report) => report === undefined));
  });

  storageCase('the duty sweeps at its start and every ten minutes until it is stopped', async (context) => {
    const clock = new ManualClock(Date.now() + 2 * day);
    const first = await single(context);
    const duty = startSweepDuty({ ...depsOf(context), clock });
    await erased(context, first, clock);
    await erased(context, await single(context), clock);
    await duty.stop();
    assert.equal(clock.waiting, 0);
  });
});

/** Waits ten minutes again and again: a tick that falls into a running sweep starts no second one. */
async function erased(context: StorageContext, upload: Prepared, clock: ManualClock): Promise<void> {
  for (let round = 0; await isStored(context, upload); round += 1) {
    assert.ok(round < 3_000, 'still there after a minute');
    await clock.advance(10 * 60_000);
    await sleep(20);
  }
}
