/** What is deleted leaves no row, no object and no file, on both storages; and nobody else loses anything. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { Account } from '../../src/account/account.ts';
import { accountStore } from '../../src/account/account-store.ts';
import { Allowance } from '../../src/account/allowance.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import { type DeleteAccountDeps, deleteAccount } from '../../src/erasure/delete-account.ts';
import { deleteTranscription } from '../../src/erasure/delete-transcription.ts';
import { finishErasures } from '../../src/erasure/erasure-duty.ts';
import { TaskQueue } from '../../src/platform/queue/queue.ts';
import { workKey } from '../../src/storage/object-key.ts';
import { objectStores, StorageUnavailable } from '../../src/storage/object-store.ts';
import { cancelTranscription } from '../../src/transcription/cancel-transcription.ts';
import { stepQueues } from '../../src/transcription/step/steps.ts';
import { transcriptionStore } from '../../src/transcription/transcription-store.ts';
import { uploadStore } from '../../src/upload/upload-store.ts';
import { recordTerminalEvent } from '../../src/webhook/record-terminal-event.ts';
import { parseRetrySchedule } from '../../src/webhook/retry-schedule.ts';
import { principalOf } from '../support/principal.ts';
import { s3ClientFor } from '../support/s3-server.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { onBothStorages, type StorageContext } from '../support/storage-suite.ts';
import { filesNaming, tablesNaming } from '../support/traces.ts';
import { type Prepared, putSingle, UploadClient } from '../support/upload-client.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const hour = 3_600_000;
const bytes = wavBytes(1);
const accounts = accountStore(parsePlanTable(builtInPlans));
const schedule = parseRetrySchedule('0,5,300');

function depsOf({ db, stores, clock }: StorageContext): DeleteAccountDeps {
  return {
    db,
    stores,
    clock,
    accounts,
    logger: silentLogger,
    allowance: new Allowance(clock),
    admission: undefined,
    recordEnd: async (tx, { id, accountId, filename, status, durationSeconds }) => {
      const ended = { id, accountId, filename, status, durationSeconds, endedAt: clock.date() };
      await recordTerminalEvent(tx, ended, { publicUrl: 'https://longhand.example.com', schedule });
    },
    afterEnd: () => {},
  };
}

interface Owner {
  account: Account;
  client: UploadClient;
}

async function newOwner({ url, createAccount }: StorageContext): Promise<Owner> {
  const { account, headers } = await createAccount('pro');
  return { account, client: new UploadClient(url, headers) };
}

async function uploaded({ client }: Owner): Promise<Prepared> {
  const prepared = await client.prepareSingle(bytes.length);
  assert.equal((await putSingle(prepared, bytes)).status, 200);
  return prepared;
}

/** A job in the middle of its work, with everything that such a job leaves behind. */
async function runningJob(context: StorageContext, { account }: Owner, upload: Prepared): Promise<string> {
  const { db, store, clock, storage } = context;
  const id = crypto.randomUUID();
  const uploadId = (await uploadStore.find(db, { accountId: account.id, storage, key: upload.key }))?.id;
  const queue = await TaskQueue.open({ db, queues: Object.values(stepQueues), clock, logger: silentLogger });
  await db.transaction(async (tx) => {
    const { day } = await new Allowance(clock).take(tx, account);
    const source = { kind: 'upload', storage, key: upload.key, sizeBytes: bytes.length } as const;
    const options = {
      speakerDiarization: true,
      language: null,
      engine: 'auto',
      fileBytesMax: 1,
      mediaSecondsMax: 1,
    };
    await transcriptionStore.insert(tx, {
      id,
      accountId: account.id,
      filename: 'talk.wav',
      source,
      options,
      allowanceDay: day,
    });
    assert.ok(await uploadStore.use(tx, { uploadId: uploadId ?? '', transcriptionId: id, at: clock.date() }));
    await queue.send(tx, stepQueues.decode.name, [{ data: { transcriptionId: id } }]);
    await tx.query(`insert into chunk (transcription_id, index, plan) values ($1, 0, '{}')`, [id]);
    await tx.query(
      `insert into idempotency_key (account_id, key, request_hash, transcription_id) values ($1, $2, '\\x00', $3)`,
      [account.id, id, id],
    );
  });
  await queue.stop(0);
  const key = workKey(id, 'audio.s16le');
  await store.write(key, Buffer.from('samples'));
  await db.query('update transcription set audio = $2 where id = $1', [id, { storage, key }]);
  return id;
}

async function subscribed({ db }: StorageContext, { account }: Owner): Promise<void> {
  await db.query(
    `insert into webhook_subscription (id, account_id, url, events, status, sealed_secret, created_at)
     values (gen_random_uuid(), $1, 'https://example.com/hook', '{transcription.failed}', 'active', 'sealed', now())`,
    [account.id],
  );
}

/** Names of objects and of unfinished uploads in the store itself. */
async function storedNaming(context: StorageContext, ids: readonly string[]): Promise<string[]> {
  const files = await filesNaming(context.directory, ids);
  if (!context.s3) return files;
  const client = s3ClientFor(context.s3);
  const Bucket = context.s3.bucket;
  const objects = (await client.listObjectsV2({ Bucket })).Contents ?? [];
  const uploads = (await client.listMultipartUploads({ Bucket })).Uploads ?? [];
  client.destroy();
  const keys = [...objects, ...uploads].map(({ Key = '' }) => Key);
  return [...files, ...keys.filter((key) => ids.some((id) => key.includes(id)))];
}

async function transcriptionsToday({ db }: StorageContext, { account }: Owner): Promise<number> {
  const [row] = await db.query<{ transcriptions: number }>(
    'select transcriptions from daily_usage where account_id = $1',
    [account.id],
  );
  return row?.transcriptions ?? 0;
}

onBothStorages('erasure', (storageCase) => {
  storageCase(
    'a running job that is deleted leaves no trace but its event until that is delivered',
    async (context) => {
      const { db } = context;
      const owner = await newOwner(context);
      await subscribed(context, owner);
      const upload = await uploaded(owner);
      const job = await runningJob(context, owner, upload);
      assert.deepEqual(await deleteTranscription(depsOf(context), principalOf(owner.account), job), {
        isErased: true,
      });

      assert.equal(await transcriptionStore.findOwned(db, owner.account.id, job), undefined);
      assert.deepEqual(await tablesNaming(db, [job]), ['public.webhook_event']);
      const [event] = await db.query<{ type: string; state: string }>(
        `select type, state from webhook_event e join webhook_delivery d on d.event_id = e.id where transcription_id = $1`,
        [job],
      );
      assert.deepEqual(event, { type: 'transcription.failed', state: 'pending' });
      assert.equal(await transcriptionsToday(context, owner), 1, 'the allowance is not given back');

      await db.query(
        `update webhook_delivery set state = 'delivered', next_attempt_at = null, ended_at = now()
       where event_id in (select id from webhook_event where transcription_id = $1)`,
        [job],
      );
      context.clock.skewMs = 2 * hour; // The upload's URL has ended: no byte can come any more.
      await finishErasures(depsOf(context));
      const uploadId = upload.key.split('/').at(-1) ?? '';
      assert.deepEqual(await tablesNaming(db, [job, uploadId]), []);
      assert.deepEqual(await storedNaming(context, [job, uploadId]), []);
    },
  );

  storageCase(
    'a cancelled job ends as failed with a sentence and its event; its tasks and chunks are gone',
    async (context) => {
      const { db } = context;
      const owner = await newOwner(context);
      await subscribed(context, owner);
      const job = await runningJob(context, owner, await uploaded(owner));
      const ended = await cancelTranscription(depsOf(context), principalOf(owner.account), job);
      assert.equal(
        ended.status === 'failed' && ended.error.startsWith('This transcription was cancelled'),
        true,
      );
      const again = await cancelTranscription(depsOf(context), principalOf(owner.account), job);
      assert.deepEqual(again, ended, 'cancelling again changes nothing');
      const [count] = await db.query<{ events: number; tasks: number; chunks: number }>(
        `select (select count(*)::int from webhook_event where transcription_id = $1) as events,
              (select count(*)::int from queue.job where data ->> 'transcriptionId' = $2) as tasks,
              (select count(*)::int from chunk where transcription_id = $1) as chunks`,
        [job, job],
      );
      assert.deepEqual(count, { events: 1, tasks: 0, chunks: 0 });
      assert.equal(await transcriptionsToday(context, owner), 1);
    },
  );

  storageCase(
    'another account can neither cancel nor delete a job: it looks as if it did not exist',
    async (context) => {
      const owner = await newOwner(context);
      const stranger = await newOwner(context);
      const upload = await uploaded(owner);
      const job = await runningJob(context, owner, upload);
      const deps = depsOf(context);
      for (const act of [cancelTranscription, deleteTranscription])
        await assert.rejects(act(deps, principalOf(stranger.account), job), { code: 'not_found' });
      assert.equal(
        (await transcriptionStore.findOwned(context.db, owner.account.id, job))?.status,
        'processing',
      );
      assert.ok(await context.store.head(upload.key));
    },
  );

  storageCase('an upload that two jobs use goes with the second of them', async (context) => {
    const owner = await newOwner(context);
    const upload = await uploaded(owner);
    const jobs = [
      await runningJob(context, owner, upload),
      await runningJob(context, owner, upload),
    ] as const;
    await deleteTranscription(depsOf(context), principalOf(owner.account), jobs[0]);
    assert.ok(await context.store.head(upload.key));
    await deleteTranscription(depsOf(context), principalOf(owner.account), jobs[1]);
    assert.equal(await context.store.head(upload.key), undefined);
  });

  storageCase(
    'a deleted account leaves no row, no object and no file; its neighbour loses nothing',
    async (context) => {
      const { db } = context;
      const owner = await newOwner(context);
      const neighbour = await newOwner(context);
      await subscribed(context, owner);
      const jobs: string[] = [];
      for (let i = 0; i < 3; i += 1) jobs.push(await runningJob(context, owner, await uploaded(owner)));
      await cancelTranscription(depsOf(context), principalOf(owner.account), jobs[0] ?? '');
      await uploaded(owner);
      await owner.client.prepareMultipart(20 * 1024 * 1024);
      const kept = await uploaded(neighbour);
      const keptJob = await runningJob(context, neighbour, kept);

      assert.deepEqual(await deleteAccount(depsOf(context), owner.account.id), { isErased: true });
      const ids = [owner.account.id, ...jobs];
      assert.deepEqual(await storedNaming(context, ids), []);
      if (context.storage === 's3') {
        context.clock.skewMs = 2 * hour; // S3 cannot take back a URL: until it has ended a note is kept.
        await finishErasures(depsOf(context));
      }
      assert.deepEqual(await tablesNaming(db, ids), []);
      assert.deepEqual(await storedNaming(context, ids), []);
      assert.equal((await owner.client.tryPrepare({ filename: 'a.mp3', size: 1 })).code, 'invalid_api_key');

      assert.ok(await context.store.head(kept.key));
      assert.equal(
        (await transcriptionStore.findOwned(db, neighbour.account.id, keptJob))?.status,
        'processing',
      );
    },
  );

  storageCase(
    'bytes that a signed URL brings after the deletion are erased when it has ended',
    async (context) => {
      const owner = await newOwner(context);
      const prepared = await owner.client.prepareSingle(bytes.length);
      await deleteAccount(depsOf(context), owner.account.id);
      await putSingle(prepared, bytes);
      context.clock.skewMs = 2 * hour;
      await finishErasures(depsOf(context));
      assert.deepEqual(await storedNaming(context, [owner.account.id]), []);
      assert.deepEqual(await tablesNaming(context.db, [owner.account.id]), []);
    },
  );

  storageCase(
    'what a request under way adds to an account that is being deleted goes, too',
    async (context) => {
      const owner = await newOwner(context);
      const upload = await uploaded(owner);
      // The request was let in before the account was marked; its rows come after.
      await context.db.transaction((tx) => accounts.markDeleted(tx, owner.account.id));
      const job = await runningJob(context, owner, upload);
      await finishErasures(depsOf(context));
      context.clock.skewMs = 2 * hour;
      await finishErasures(depsOf(context));
      assert.deepEqual(await tablesNaming(context.db, [owner.account.id, job]), []);
      assert.deepEqual(await storedNaming(context, [owner.account.id, job]), []);
    },
  );

  storageCase('a storage that does not answer delays the media, not the deletion', async (context) => {
    const { db, store } = context;
    const owner = await newOwner(context);
    const job = await runningJob(context, owner, await uploaded(owner));
    const silent = Object.create(store, {
      delete: { value: () => Promise.reject(new StorageUnavailable('away')) },
      deleteAll: { value: () => Promise.reject(new StorageUnavailable('away')) },
    });
    const deps = { ...depsOf(context), stores: objectStores(store.id, [silent]) };
    assert.deepEqual(await deleteAccount(deps, owner.account.id), { isErased: false });
    assert.equal(await transcriptionStore.findOwned(db, owner.account.id, job), undefined);
    assert.deepEqual(await tablesNaming(db, [owner.account.id, job]), ['public.erasure']);
    context.clock.skewMs = 2 * hour;
    await finishErasures(depsOf(context));
    assert.deepEqual(await tablesNaming(db, [owner.account.id, job]), []);
    assert.deepEqual(await storedNaming(context, [owner.account.id, job]), []);
  });

  storageCase('what has served is forgotten: old idempotency keys, chunks of ended jobs', async (context) => {
    const { db } = context;
    const owner = await newOwner(context);
    const [ended, running] = [
      await runningJob(context, owner, await uploaded(owner)),
      await runningJob(context, owner, await uploaded(owner)),
    ];
    await db.query(
      `update transcription set status = 'completed', text = '', finished_at = now() where id = $1`,
      [ended],
    );
    await db.query(`update idempotency_key set created_at = now() - interval '25 hours' where key = $1`, [
      ended,
    ]);
    await finishErasures(depsOf(context));
    const [left] = await db.query<Record<string, string[]>>(
      `select array(select key from idempotency_key where account_id = $1) as keys,
              array(select transcription_id::text from chunk where transcription_id = any ($2)) as chunks`,
      [owner.account.id, [ended, running]],
    );
    assert.deepEqual(left, { keys: [running], chunks: [running] });
  });

  storageCase('an ended job leaves no empty directory behind', async (context) => {
    const job = crypto.randomUUID();
    const key = workKey(job, 'audio.s16le');
    await context.store.write(key, Buffer.from('x'));
    await context.store.delete(key);
    const names = await readdir(context.directory, { recursive: true });
    assert.deepEqual(
      names.filter((name) => name.includes(job)),
      [],
    );
  });
});
