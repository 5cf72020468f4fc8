/** One account cannot stop another: a real service, whose speech is recognised by an endpoint of this test's own. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ApiClient, newClient, type UploadReference } from '../support/api-client.ts';
import { onCleanup } from '../support/cleanup.ts';
import { withConnection } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { runService, temporaryDataDir } from '../support/service.ts';
import { answerText, openSpeechEndpoint } from '../support/speech-endpoint.ts';

const path = '/api/v1/transcriptions';
const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const hooks = { after };

/** Sends as much as looks like media, and then nothing more. */
const slowSite = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': '100000000' });
  const head = Buffer.alloc(65_536);
  head.write('RIFF\xff\xff\xff\x05WAVEfmt ', 'latin1');
  response.write(head);
});
slowSite.listen(0, '127.0.0.1');
await once(slowSite, 'listening');
onCleanup(hooks, async () => {
  slowSite.closeAllConnections();
  slowSite.close();
});
const slow = `127.0.0.1:${(slowSite.address() as AddressInfo).port}`;
const dead = `127.0.0.1:${await freePort()}`;
const endpoint = await openSpeechEndpoint(hooks);
/** The running jobs of the built-in plans; more jobs a day than `free` has. */
const limits = { file_bytes_max: 1e9, media_seconds_max: 3600, daily_transcriptions_max: 100 };
const plans = {
  free: { ...limits, running_transcriptions_max: 2, speaker_diarization: false },
  pro: { ...limits, running_transcriptions_max: 20, speaker_diarization: true },
};
const plansFile = join(await temporaryDataDir(hooks), 'plans.json');
await writeFile(plansFile, JSON.stringify(plans));
const service = await runService(hooks, {
  ...endpoint.settings,
  LONGHAND_PLANS: plansFile,
  LONGHAND_WORKERS: '2',
  LONGHAND_EGRESS_ALLOW: [endpoint.target, slow, dead].join(','),
});

async function create(client: ApiClient, body: object): Promise<string> {
  const { status, body: answer } = await client.post(path, body);
  assert.equal(status, 202, JSON.stringify(answer));
  return answer.data.id;
}

async function rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  const { rows: found } = await withConnection(service.environment.LONGHAND_DATABASE_URL ?? '', (db) =>
    db.query<Row>(text, values),
  );
  return found;
}

async function accountOf(job: string): Promise<string> {
  const [row] = await rows<{ account_id: string }>('select account_id from transcription where id = $1', [
    job,
  ]);
  assert.ok(row);
  return row.account_id;
}

/** How many jobs of the account had ended when this one did. */
async function endedBefore(account: string, job: string): Promise<number> {
  const [row] = await rows<{ count: number }>(
    `select count(*)::int as count from transcription
     where account_id = $1 and finished_at <= (select finished_at from transcription where id = $2)`,
    [account, job],
  );
  return row?.count ?? Number.NaN;
}

/** What is faster than decoding would end before a newcomer could be recognised at all. */
async function reaches(job: string, stage: string): Promise<void> {
  await eventually(async () => {
    const found = await rows('select from transcription where id = $1 and stage = $2', [job, stage]);
    return found.length === 1;
  }, `the stage ${stage}`);
}

/** Gone, with what waits for them: the next test begins on an idle service. */
async function forget(account: string): Promise<void> {
  await rows('delete from transcription where account_id = $1', [account]);
}

/** Recognition stands still until the gate is opened. */
function closedGate(): { open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  endpoint.answer = async (response) => {
    await promise;
    await delay(50);
    answerText(response);
  };
  return { open: resolve };
}

test('links that are slow or dead do not hold up the upload of another account', async () => {
  endpoint.answer = answerText;
  const [one, other] = [await newClient(service), await newClient(service)];
  const upload = await other.uploadFile(austen);
  const slowJobs = [
    await create(one, { source_url: `http://${slow}/one.wav` }),
    await create(one, { source_url: `http://${slow}/two.wav` }),
  ];
  for (let i = 0; i < 9; i += 1) await create(one, { source_url: `http://${dead}/${i}.mp3` });
  const { body } = await other.ended(await create(other, { upload }));
  assert.equal(body.data.status, 'completed');
  for (const id of slowJobs)
    assert.equal(
      (await one.get(`${path}/${id}`)).body.data.status,
      'processing',
      'a slow link has not ended yet',
    );
  await forget(await accountOf(slowJobs[0] ?? ''));
});

for (const plan of ['free', 'pro'] as const) {
  test(`forty jobs of one account on ${plan}: another's one job ends before the fifth of them`, async () => {
    const gate = closedGate();
    const [one, other] = [await newClient(service, plan), await newClient(service)];
    const upload = await one.uploadFile(austen);
    const otherUpload = await other.uploadFile(austen);
    const jobs: string[] = [];
    for (let i = 0; i < 40; i += 1) jobs.push(await create(one, { upload }));
    const account = await accountOf(jobs[0] ?? '');
    const running = await rows(
      'select from transcription where account_id = $1 and admitted_at is not null',
      [account],
    );
    assert.equal(running.length, plan === 'free' ? 2 : 20, 'as many run as the plan says');
    const job = await create(other, { upload: otherUpload });
    await reaches(job, 'recognising');
    gate.open();
    assert.equal((await other.ended(job)).body.data.status, 'completed');
    assert.ok((await endedBefore(account, job)) < 5);
    const first = await one.ended(jobs[0] ?? '');
    assert.equal(first.body.data.status, 'completed');
    await forget(account);
  });
}

test('five thousand waiting jobs of one account: another’s one job ends before the fifth of them, and all run in order', async () => {
  const gate = closedGate();
  const [one, other] = [await newClient(service), await newClient(service)];
  const upload = await one.uploadFile(austen);
  const first = await create(one, { upload });
  const account = await accountOf(first);
  await rows(
    `insert into transcription (id, account_id, filename, source, options)
     select gen_random_uuid(), account_id, filename, source, options
     from transcription, generate_series(1, 5000) where id = $1`,
    [first],
  );
  const reference: UploadReference = await other.uploadFile(austen);
  // Fills the plan's share with waiting ones, as the end of any job of the account does.
  await create(one, { upload });
  const job = await create(other, { upload: reference });
  await reaches(job, 'recognising');
  gate.open();
  assert.equal((await other.ended(job)).body.data.status, 'completed');
  assert.ok((await endedBefore(account, job)) < 5);
  const [order] = await rows<{ in_order: boolean }>(
    `select max(number) filter (where admitted_at is not null) < min(number) filter (where admitted_at is null) as in_order
     from transcription where account_id = $1`,
    [account],
  );
  assert.equal(order?.in_order, true);
  await forget(account);
});
