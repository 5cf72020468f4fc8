import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { openConnection } from '../../src/platform/database/dedicated-connection.ts';
import { findPostgresBinaries } from '../../src/postgres/binaries.ts';
import { ensureCluster } from '../../src/postgres/cluster.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { choosePostgresUser } from '../../src/postgres/user.ts';
import { onCleanup } from '../support/cleanup.ts';
import {
  dataDirectoryWithDatabase,
  isAlive,
  serverPid,
  startMember,
  temporaryDataDirectory,
} from '../support/data-directory.ts';
import { eventually } from '../support/eventually.ts';
import { silentLogger as logger } from '../support/silent-logger.ts';

async function query<Row extends object>(connectionString: string, text: string): Promise<Row[]> {
  const connection = await openConnection({ connectionString, applicationName: 'longhand test' });
  try {
    return await connection.query<Row>(text);
  } finally {
    await connection.close();
  }
}

async function open(t: TestContext, dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await openEmbeddedPostgres({ dataDir, logger, clock });
  onCleanup(t, () => postgres.close());
  return postgres;
}

function canReach(program: string, user: { uid: number; gid: number }): boolean {
  return spawnSync(program, ['--version'], user).status === 0;
}

async function runningServer(dataDir: string): Promise<number> {
  const pid = await serverPid(dataDir);
  assert.ok(pid !== undefined, 'no server runs');
  return pid;
}

test('rows survive a stop and a start, and nothing runs in between', async (t) => {
  const dataDir = await temporaryDataDirectory(t);
  const first = await open(t, dataDir);
  await query(first.connectionString, 'create table word as select 1 as id');
  const pid = await runningServer(dataDir);
  await first.close();
  assert.equal(isAlive(pid), false);
  const second = await open(t, dataDir);
  assert.deepEqual(await query(second.connectionString, 'select id from word'), [{ id: 1 }]);
});

test('the server is durable, speaks UTF-8 and UTC, and listens on no port', async (t) => {
  const { connectionString } = await open(t, await dataDirectoryWithDatabase(t));
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses', 'TimeZone'];
  const settings = await query<{ value: string }>(
    connectionString,
    `select current_setting(name) as value from unnest(array['${names.join("','")}']) as name`,
  );
  assert.deepEqual(
    settings.map(({ value }) => value),
    ['on', 'on', 'on', '', 'UTC'],
  );
  assert.deepEqual(await query(connectionString, "select upper('äé') as up, current_database() as name"), [
    { up: 'ÄÉ', name: 'longhand' },
  ]);
});

test('the last one out stops the server, not the first', async (t) => {
  const dataDir = await dataDirectoryWithDatabase(t);
  const [first, second] = [await open(t, dataDir), await open(t, dataDir)];
  const pid = await runningServer(dataDir);
  await first.close();
  await query(second.connectionString, 'select 1');
  assert.equal(await serverPid(dataDir), pid);
  await second.close();
  assert.equal(isAlive(pid), false);
});

test('four processes that start at once on an empty directory share one server', async (t) => {
  const dataDir = await temporaryDataDirectory(t);
  const members = await Promise.all(Array.from({ length: 4 }, () => startMember(t, [dataDir, 'join'])));
  const servers = new Set<string>();
  for (const { answer } of members) {
    const [row] = await query<{ started: Date }>(
      answer.ready ?? '',
      'select pg_postmaster_start_time() as started',
    );
    servers.add(row?.started.toISOString() ?? '');
  }
  assert.equal(servers.size, 1);
  const pid = await runningServer(dataDir);
  await Promise.all(members.map((member) => member.leave()));
  assert.equal(isAlive(pid), false);
});

test('processes that come while others go always find a server', async (t) => {
  const dataDir = await dataDirectoryWithDatabase(t);
  const visit = async () => {
    for (let round = 0; round < 6; round += 1) {
      const postgres = await openEmbeddedPostgres({ dataDir, logger, clock });
      await query(postgres.connectionString, 'select 1');
      await postgres.close();
    }
  };
  await Promise.all([visit(), visit(), visit()]);
  assert.equal(await serverPid(dataDir), undefined);
});

test('the server of a killed process goes on, keeps its rows, and is adopted and stopped by the next', async (t) => {
  const dataDir = await dataDirectoryWithDatabase(t);
  const owner = await startMember(t, [dataDir, 'join']);
  await query(owner.answer.ready ?? '', 'create table word as select 7 as id');
  const pid = await runningServer(dataDir);
  await owner.kill();
  assert.equal(isAlive(pid), true);
  const heir = await open(t, dataDir);
  assert.equal(await runningServer(dataDir), pid);
  assert.deepEqual(await query(heir.connectionString, 'select id from word'), [{ id: 7 }]);
  await heir.close();
  assert.equal(isAlive(pid), false);
});

test('Ctrl-C at the terminal of a process does not reach the server', async (t) => {
  const dataDir = await dataDirectoryWithDatabase(t);
  const owner = await startMember(t, [dataDir, 'join'], { detached: true });
  process.kill(-(owner.child.pid ?? 0), 'SIGINT'); // What a terminal does: the signal goes to the whole group.
  await query(owner.answer.ready ?? '', 'select pg_sleep(0.2)');
  await owner.leave();
  assert.equal(owner.child.exitCode, 0);
});

test('a server that dies is started again, and its rows are there', async (t) => {
  const dataDir = await dataDirectoryWithDatabase(t);
  const { connectionString } = await open(t, dataDir);
  await query(connectionString, 'create table word as select 3 as id');
  const pid = await runningServer(dataDir);
  process.kill(pid, 'SIGKILL');
  await eventually(
    () =>
      query(connectionString, 'select id from word').then(
        (rows) => rows.length === 1,
        () => false,
      ),
    'the rows to be read again',
  );
  assert.notEqual(await runningServer(dataDir), pid);
});

test('the record of a dead server whose process id another process now has does not stop the start', async (t) => {
  const dataDir = await dataDirectoryWithDatabase(t);
  await (await open(t, dataDir)).close();
  await writeFile(
    join(dataDir, 'postgres', 'postmaster.pid'),
    `${process.pid}\n${join(dataDir, 'postgres')}\n1\n5432\n\n\n0 0\n`,
  );
  await query((await open(t, dataDir)).connectionString, 'select 1');
});

test('a leftover server that has lost its socket is stopped and replaced', async (t) => {
  const dataDir = await dataDirectoryWithDatabase(t);
  const owner = await startMember(t, [dataDir, 'join']);
  await query(owner.answer.ready ?? '', 'create table word as select 5 as id');
  const pid = await runningServer(dataDir);
  await owner.kill();
  await rm(join(dataDir, 'postgres', '.s.PGSQL.5432'));
  const { connectionString } = await open(t, dataDir);
  assert.notEqual(await runningServer(dataDir), pid);
  assert.deepEqual(await query(connectionString, 'select id from word'), [{ id: 5 }]);
});

test('a data directory deeper than a socket path may be works, for two processes', async (t) => {
  const dataDir = join(await temporaryDataDirectory(t), 'd'.repeat(120), 'with space and ü');
  const postgres = await open(t, dataDir);
  const other = await startMember(t, [dataDir, 'join']);
  assert.equal(other.answer.ready, postgres.connectionString);
  await query(postgres.connectionString, 'select 1');
  await other.leave();
});

test('a directory that holds something else is left alone and named', async (t) => {
  const dataDir = await temporaryDataDirectory(t);
  await mkdir(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres', 'diary.txt'), 'mine');
  await assert.rejects(openEmbeddedPostgres({ dataDir, logger, clock }), {
    name: 'StartError',
    message: /postgres is not empty and holds no database/,
  });
});

test('a database made by another major version is refused by name', async (t) => {
  const dataDir = await temporaryDataDirectory(t);
  await mkdir(join(dataDir, 'postgres'));
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
  await assert.rejects(openEmbeddedPostgres({ dataDir, logger, clock }), {
    name: 'StartError',
    message: /made by PostgreSQL 17/,
  });
});

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };
const onlyRoot = { skip: isRoot ? false : 'needs root; these tests already run as an ordinary user' };

test('an ordinary user runs it, root joins it, and the files stay the user’s', onlyRoot, async (t) => {
  const dataDir = await temporaryDataDirectory(t);
  await chown(dataDir, nobody.uid, nobody.gid);
  if (!canReach(process.execPath, nobody)) return t.skip('this checkout lies where other users may not go');
  const member = await startMember(t, [dataDir, 'join'], nobody);
  await query(member.answer.ready ?? '', 'create table word as select 9 as id');
  const root = await open(t, dataDir);
  await member.leave();
  assert.deepEqual(await query(root.connectionString, 'select id from word'), [{ id: 9 }]);
  await root.close();
  await (await open(t, dataDir)).close(); // Started by root this time.
  const again = await startMember(t, [dataDir, 'join'], nobody);
  assert.deepEqual(await query(again.answer.ready ?? '', 'select id from word'), [{ id: 9 }]);
  await again.leave();
});

const userTables: Record<string, (lines: string[]) => string[]> = {
  'as the machine has it': (lines) => lines,
  'without a user 1000': (lines) => lines.filter((line) => line.split(':')[2] !== '1000'),
  'with root alone': (lines) => lines.filter((line) => line.split(':')[2] === '0'),
};
for (const [name, change] of Object.entries(userTables)) {
  test(`root makes a database and starts it again where the user table is ${name}`, onlyRoot, async (t) => {
    const dataDir = await temporaryDataDirectory(t);
    const wrapper = await underUserTable(t, change);
    for (const expected of [[], [{ id: 4 }]]) {
      const member = await startMember(t, [dataDir, 'join'], { wrapper });
      assert.equal(member.answer.refused, undefined);
      await query(member.answer.ready ?? '', 'create table if not exists word (id int)');
      assert.deepEqual(await query(member.answer.ready ?? '', 'select id from word'), expected);
      await query(member.answer.ready ?? '', 'insert into word values (4)');
      await member.leave();
    }
    assert.equal((await stat(join(dataDir, 'postgres'))).uid, 0, 'the files are not root’s own');
  });
}

test('a user whom the user table does not name makes a database', onlyRoot, async (t) => {
  const dataDir = await temporaryDataDirectory(t);
  const stranger = { uid: 4_711, gid: 4_711 };
  await chown(dataDir, stranger.uid, stranger.gid);
  if (!canReach(process.execPath, stranger)) return t.skip('this checkout lies where other users may not go');
  const { answer, leave } = await startMember(t, [dataDir, 'join'], stranger);
  assert.equal(answer.refused, undefined);
  await leave();
  assert.equal((await stat(join(dataDir, 'postgres'))).uid, stranger.uid);
});

/** What to put before a program so that it sees another /etc/passwd, in a mount namespace of its own. */
async function underUserTable(t: TestContext, change: (lines: string[]) => string[]): Promise<string[]> {
  const table = join(await temporaryDataDirectory(t), 'passwd');
  const lines = change((await readFile('/etc/passwd', 'utf8')).trim().split('\n'));
  await writeFile(table, `${lines.join('\n')}\n`, { mode: 0o644 });
  return ['unshare', '--mount', '--', 'sh', '-c', `mount --bind '${table}' /etc/passwd && exec "$@"`, 'sh'];
}

test('an ordinary user is told whose database it is', onlyRoot, async (t) => {
  const dataDir = await dataDirectoryWithDatabase(t);
  await (await open(t, dataDir)).close();
  await chmod(dataDir, 0o755);
  if (!canReach(process.execPath, nobody)) return t.skip('this checkout lies where other users may not go');
  const { answer } = await startMember(t, [dataDir, 'join'], nobody);
  assert.match(answer.refused ?? '', /^This user may not use the database in .*: run Longhand as the owner/);
});

test('where user namespaces are refused, root runs it as a user without rights', onlyRoot, async (t) => {
  const dataDir = await temporaryDataDirectory(t);
  await chmod(dataDir, 0o755);
  const clusterDir = join(dataDir, 'postgres');
  const binaries = await findPostgresBinaries();
  const { postgres } = binaries;
  if (!canReach(postgres, nobody)) return t.skip('this checkout lies where other users may not go');
  const postgresUser = await choosePostgresUser({
    postgres,
    dataDir,
    clusterDir,
    unshare: '/missing/unshare',
  });
  assert.deepEqual(postgresUser, { wrapper: [], user: nobody });
  await ensureCluster({ clusterDir, binaries, postgresUser, clock });
  const { connectionString } = await open(t, dataDir); // From now on the owner of the files decides.
  await query(connectionString, 'select 1');
  assert.equal((await stat(`/proc/${await runningServer(dataDir)}`)).uid, nobody.uid);
});

test('where that user may not go there either, root gives it the capability to', onlyRoot, async (t) => {
  const dataDir = await temporaryDataDirectory(t); // Closed to everybody else.
  const clusterDir = join(dataDir, 'postgres');
  const binaries = await findPostgresBinaries();
  const options = { postgres: binaries.postgres, dataDir, clusterDir, unshare: '/missing/unshare' };
  const postgresUser = await choosePostgresUser(options);
  assert.deepEqual([postgresUser.user, postgresUser.isSwitchedByWrapper], [nobody, true]);
  await ensureCluster({ clusterDir, binaries, postgresUser, clock });
  assert.equal((await stat(clusterDir)).uid, nobody.uid);
  assert.deepEqual(await choosePostgresUser(options), postgresUser);
  const { connectionString } = await open(t, dataDir);
  await query(connectionString, 'create table word as select 1 as id');
  assert.equal((await stat(`/proc/${await runningServer(dataDir)}`)).uid, nobody.uid);
});

test('where root can run it in no way, one sentence says what to do', onlyRoot, async (t) => {
  const dataDir = await temporaryDataDirectory(t); // Closed to everybody else.
  const { postgres } = await findPostgresBinaries();
  const clusterDir = join(dataDir, 'postgres');
  const without = { unshare: '/missing/unshare', setpriv: '/missing/setpriv' };
  await assert.rejects(choosePostgresUser({ postgres, dataDir, clusterDir, ...without }), {
    name: 'StartError',
    message: /cannot run as root here.*: run Longhand as an ordinary user, or set LONGHAND_DATABASE_URL\.$/,
  });
});
