import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { Database } from '../../src/platform/database/database.ts';
import { takeServiceLock } from '../../src/platform/database/service-lock.ts';
import { onCleanup } from '../support/cleanup.ts';
import { dataDirectoryWithDatabase, serverPid, startMember } from '../support/data-directory.ts';
import { openTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { silentLogger as logger } from '../support/silent-logger.ts';

test('a second service on the same data directory is refused with a sentence that names it', async (t) => {
  const dataDir = await dataDirectoryWithDatabase(t);
  const first = await startMember(t, [dataDir, 'serve']);
  assert.ok(first.answer.ready);
  const second = await startMember(t, [dataDir, 'serve']);
  assert.equal(
    second.answer.refused,
    `Another Longhand service is running on the data directory ${dataDir}: stop it first, or choose another LONGHAND_DATA_DIR.`,
  );
  const command = await startMember(t, [dataDir, 'join']);
  assert.ok(command.answer.ready, 'a command joins');
  await command.leave();
  await first.leave();
});

test('a killed service gives its lock back at once, and its successor takes over the server', async (t) => {
  const dataDir = await dataDirectoryWithDatabase(t);
  const killed = await startMember(t, [dataDir, 'serve']);
  const pid = await serverPid(dataDir);
  await killed.kill();
  const successor = await startMember(t, [dataDir, 'serve']);
  assert.deepEqual(successor.answer, killed.answer);
  assert.equal(await serverPid(dataDir), pid);
  await successor.leave();
});

test('a service keeps its lock through the death of the server', async (t) => {
  const dataDir = await dataDirectoryWithDatabase(t);
  const service = await startMember(t, [dataDir, 'serve']);
  const pid = (await serverPid(dataDir)) ?? 0;
  process.kill(pid, 'SIGKILL');
  const db = new Database({
    connectionString: service.answer.ready ?? '',
    connectionsMax: 1,
    applicationName: 'longhand test',
    logger,
  });
  onCleanup(t, () => db.close());
  await eventually(
    () =>
      db.query("select 1 from pg_stat_activity where application_name = 'longhand service'").then(
        (rows) => rows.length === 1,
        () => false,
      ),
    'the lock to be held again',
  );
  const second = await startMember(t, [dataDir, 'serve']);
  assert.match(second.answer.refused ?? '', /^Another Longhand service is running/);
  await service.leave();
});

test('a service whose lock another one took meanwhile is told to stop', async (t) => {
  const db = await openTestDatabase(t);
  const lost: Error[] = [];
  // A clock that runs ahead: a minute of trying passes in an instant.
  let aheadMs = 0;
  const fastClock = {
    ...clock,
    now: () => clock.now() + aheadMs,
    sleep: async () => {
      aheadMs += 1_000;
    },
  };
  const options = { db, dataDir: 'data', logger, clock: fastClock, onLost: (e: Error) => lost.push(e) };
  const first = await takeServiceLock(options);
  onCleanup(t, () => first.release());
  const rival = await db.dedicatedConnection('rival');
  onCleanup(t, () => rival.close());
  const waiting = rival.query('select pg_advisory_lock(7005002)');
  await eventually(async () => {
    const rows = await db.query("select 1 from pg_locks where not granted and locktype = 'advisory'");
    return rows.length === 1;
  }, 'the rival to wait');
  await db.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'longhand service' and datname = current_database()",
  );
  await waiting;
  await eventually(() => lost.length === 1, 'the service to be told');
  assert.match(lost[0]?.message ?? '', /the lock on the data directory data was lost/);
});
