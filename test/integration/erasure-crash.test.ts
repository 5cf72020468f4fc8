/** The command that deletes an account is killed again and again: at no moment there are bytes that nobody would erase. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Database } from '../../src/platform/database/database.ts';
import { uploadKey, workKey } from '../../src/storage/object-key.ts';
import { onCleanup } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { type Environment, longhand, testEnvironment } from '../support/service.ts';
import { silentLogger } from '../support/silent-logger.ts';
import { filesNaming, tablesNaming } from '../support/traces.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const jobs = 300;
const kills = 6;

interface Place {
  db: Database;
  objects: string;
  accountId: string;
}

async function fill({ db, objects, accountId }: Place): Promise<void> {
  const put = async (key: string) => {
    await mkdir(join(objects, key, '..'), { recursive: true });
    await writeFile(join(objects, key), 'bytes');
  };
  for (let i = 0; i < jobs; i += 1) {
    const [job, upload] = [crypto.randomUUID(), crypto.randomUUID()];
    const key = uploadKey(accountId, upload);
    await db.query(
      `insert into transcription (id, account_id, filename, source, options) values ($1, $2, 'a.wav', '{}', '{}')`,
      [job, accountId],
    );
    await db.query(
      `insert into upload (id, account_id, storage, object_key, filename, content_type, size_bytes, status,
         created_at, expires_at, completed_at, last_used_at)
       values ($1, $2, 'local', $3, 'a.wav', 'audio/wav', 5, 'completed', now() - interval '3 hours',
         now() - interval '2 hours', now(), now())`,
      [upload, accountId, key],
    );
    await db.query('insert into upload_use (upload_id, transcription_id) values ($1, $2)', [upload, job]);
    await put(key);
    await put(workKey(job, 'audio.s16le'));
  }
}

/** Objects to which neither a row leads nor a note of what is to be erased. */
async function lost({ db, objects, accountId }: Place): Promise<string[]> {
  const keys = (await readdir(objects, { recursive: true })).filter((name) => name.split('/').length === 3);
  const rows = await db.query<{ known: string }>(
    `select object_key as known from upload where account_id = $1
     union all select 'work/' || id || '/audio.s16le' from transcription where account_id = $1
     union all select target from erasure`,
    [accountId],
  );
  const known = rows.map((row) => row.known);
  return keys.filter(
    (key) => !known.some((one) => key === one || (one.endsWith('/') && key.startsWith(one))),
  );
}

/** How much of the account there still is, in rows and in files. */
async function left({ db, objects, accountId }: Place): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select ((select count(*) from transcription where account_id = $1) + (select count(*) from upload where account_id = $1)
       + (select count(*) from erasure) + (select count(*) from account where id = $1))::int as count`,
    [accountId],
  );
  return (row?.count ?? 0) + (await readdir(objects, { recursive: true })).length;
}

async function killAsSoonAsItMoves(environment: Environment, place: Place): Promise<void> {
  const before = await left(place);
  const child = spawn(process.execPath, [main, 'account', 'delete', place.accountId], {
    env: environment,
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await eventually(
    async () => (await left(place)) !== before || child.exitCode !== null,
    'the deletion to move',
  );
  child.kill('SIGKILL');
  await ended;
}

test('a deletion that is killed again and again loses sight of nothing and ends clean', async (t) => {
  const environment = await testEnvironment(t);
  const created = await longhand(environment, 'account', 'create', 'tester', '--json');
  const db = new Database({
    connectionString: environment.LONGHAND_DATABASE_URL ?? '',
    connectionsMax: 4,
    applicationName: 'longhand test',
    logger: silentLogger,
  });
  onCleanup(t, () => db.close());
  const dataDir = environment.LONGHAND_DATA_DIR ?? '';
  const objects = join(dataDir, 'objects', 'objects');
  const place: Place = { db, objects, accountId: JSON.parse(created.stdout).id };
  await fill(place);

  let inTheMiddle = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    await killAsSoonAsItMoves(environment, place);
    assert.deepEqual(await lost(place), []);
    if ((await left(place)) > 0) inTheMiddle += 1;
  }
  assert.ok(inTheMiddle >= 3, `only ${inTheMiddle} kills struck before the end`);
  await longhand(environment, 'account', 'delete', place.accountId, '--json');
  const { code, stdout } = await longhand(environment, 'account', 'list', '--json');
  assert.deepEqual([code, JSON.parse(stdout)], [0, { accounts: [] }]);
  // What is left of it when its rows are gone already is the service's duty; it begins with its start.
  const service = spawn(process.execPath, [main, 'serve', '--role', 'api'], {
    env: environment,
    stdio: 'ignore',
  });
  onCleanup(t, async () => {
    service.kill('SIGTERM');
    await once(service, 'exit');
  });
  await eventually(
    async () => (await db.query('select from erasure limit 1')).length === 0 || undefined,
    'the last note to be gone',
  );
  assert.deepEqual(await tablesNaming(db, [place.accountId]), []);
  assert.deepEqual(await filesNaming(dataDir, [place.accountId]), []);
  assert.deepEqual(await readdir(join(objects, 'work')), []);
});
