/** A small fleet of real processes, and everything that can be done to it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { S3 } from '@aws-sdk/client-s3';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import type { ObjectStore } from '../../src/storage/object-store.ts';
import { S3Store } from '../../src/storage/s3-store.ts';
import { childProcesses } from '../../test/support/child-processes.ts';
import { type Hooks, onCleanup } from '../../test/support/cleanup.ts';
import { freePort } from '../../test/support/free-port.ts';
import { mountSmallDisk, skipWithoutMounts } from '../../test/support/small-disk.ts';
import { openTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.ts';
import { benchApiKey } from '../stage/upload-service.ts';

const root = join(import.meta.dirname, '..', '..');
const bucket = 'chaos';
const mebibyte = 2 ** 20;
const diskMebibytes = 256;
const reserveMebibytes = 32;
/** Debian's libfaketime reads the offset from a file, so that the clock of a running process can be stepped. */
const [clockLibrary] = globSync('/usr/lib/*/faketime/libfaketime.so.1');

export interface Member {
  name: string;
  role: 'api' | 'worker';
  disk: MemberDisk;
  /** How far its clock is off, as a file that it reads; undefined where clocks cannot be stepped. */
  clockFile: string | undefined;
  /** Of an API. */
  url: string;
  /** Its own ways to the database and to the store. */
  database: TcpProxy;
  storage: TcpProxy;
  process: ChildProcess | undefined;
}

interface MemberDisk {
  /** As the process sees it, and as we do. */
  dataDir: string;
  directory: string;
  /** What the process is started by, to see it. */
  enter: readonly string[];
  /** A file system of its own, that can be filled without harm to anyone. */
  isSmall: boolean;
}

export interface ChaosFleet {
  members: readonly Member[];
  operatorKey: string;
  /** For whoever checks: the server itself, past every proxy. */
  databaseUrl: string;
  store: ObjectStore;
  start(member: Member): Promise<void>;
  stop(member: Member, signal: NodeJS.Signals): Promise<void>;
  /** Every process of it, or of the database: SIGSTOP or SIGCONT. */
  signalAll(member: Member, signal: NodeJS.Signals): void;
  freezeDatabase(): Promise<() => void>;
  restartDatabase(awayMs: number): Promise<void>;
  /** Leaves half of the reserve, or nothing; undefined where its disk is also that of others. */
  fillDisk(member: Member, leave: 'half' | 'nothing'): Promise<(() => Promise<void>) | undefined>;
  /** False where clocks cannot be stepped. */
  stepClock(member: Member, seconds: number): Promise<boolean>;
  scratchFiles(): Promise<string[]>;
}

export async function openChaosFleet(
  hooks: Hooks,
  settings: Record<string, string>,
  { apis, workers }: { apis: number; workers: number },
): Promise<ChaosFleet> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-chaos-'));
  onCleanup(hooks, () => rm(directory, { recursive: true, force: true }));
  const database = await chaosDatabase(hooks, join(directory, 'database'));
  const s3 = await chaosStore(hooks, join(directory, 's3'));
  const operatorKey = benchApiKey();
  const common = {
    PATH: process.env.PATH ?? '',
    ...s3.settings,
    LONGHAND_STORAGE: 's3',
    LONGHAND_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    LONGHAND_API_KEY: operatorKey,
    LONGHAND_RATE_REQUESTS: '1000000',
    LONGHAND_RATE_CREATES: '1000000',
    LONGHAND_WORKERS: '1',
    LONGHAND_DISK_RESERVE: String(reserveMebibytes * mebibyte),
    LONGHAND_LOG_LEVEL: 'fatal',
    ...settings,
  };
  const members: Member[] = [];
  for (const [role, count] of [
    ['api', apis],
    ['worker', workers],
  ] as const) {
    for (let number = 1; number <= count; number += 1) {
      const clockFile = clockLibrary && join(directory, `${role}-${number}.clock`);
      if (clockFile) await writeFile(clockFile, '+0');
      members.push({
        name: `${role} ${number}`,
        role,
        disk: await memberDisk(hooks, join(directory, `${role}-${number}`)),
        clockFile,
        url: `http://127.0.0.1:${await freePort()}`,
        database: await openTcpProxy(hooks, { path: database.socket }),
        storage: await openTcpProxy(hooks, s3.address),
        process: undefined,
      });
    }
  }
  const start = (member: Member) => startMember(member, common, database.urlAt);
  onCleanup(hooks, async () => {
    await Promise.all(members.map((member) => stopMember(member, 'SIGKILL')));
  });
  for (const member of members) await start(member);
  return {
    members,
    operatorKey,
    databaseUrl: database.url,
    store: s3.store,
    start,
    stop: stopMember,
    signalAll(member, signal) {
      const pid = member.process?.pid;
      if (pid === undefined) return;
      for (const one of [pid, ...childProcesses(pid)]) tryKill(one, signal);
    },
    freezeDatabase: database.freeze,
    restartDatabase: database.restart,
    async fillDisk({ disk }, leave) {
      if (!disk.isSmall) return undefined;
      const { bavail, bsize } = await statfs(disk.directory);
      const left = leave === 'half' ? (reserveMebibytes / 2) * mebibyte : 0;
      const filler = join(disk.directory, 'filler');
      await writeFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - left))).catch((error) => {
        // The member wrote something meanwhile: there is no room at all now.
        if (error.code !== 'ENOSPC') throw error;
      });
      return () => rm(filler);
    },
    async stepClock({ clockFile }, seconds) {
      if (clockFile) await writeFile(clockFile, `${seconds < 0 ? '' : '+'}${seconds}`);
      return clockFile !== undefined;
    },
    async scratchFiles() {
      const found = await Promise.all(
        members.map(({ disk }) => readdir(join(disk.directory, 'tmp'), { recursive: true }).catch(() => [])),
      );
      return found.flat();
    },
  };
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}

/** Of a few mebibytes and the member's alone, where file systems may be mounted. It stays when the process ends. */
async function memberDisk(hooks: Hooks, directory: string): Promise<MemberDisk> {
  if (skipWithoutMounts) {
    await mkdir(directory);
    return { dataDir: directory, directory, enter: [], isSmall: false };
  }
  const disk = await mountSmallDisk(hooks, diskMebibytes);
  return { dataDir: disk.mountPoint, directory: disk.directory, enter: disk.enter, isSmall: true };
}

/** What the process and its speech processes are given; timeouts and intervals run on the monotonic clock. */
function clockSettings(clockFile: string | undefined): Record<string, string> {
  if (!clockLibrary || !clockFile) return {};
  return {
    LD_PRELOAD: clockLibrary,
    FAKETIME_TIMESTAMP_FILE: clockFile,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
}

async function startMember(
  member: Member,
  common: Record<string, string>,
  databaseUrlAt: (target: string) => string,
): Promise<void> {
  const { role, disk, clockFile, url, database, storage } = member;
  const [program = '', ...args] = [
    ...disk.enter,
    process.execPath,
    ...[join(root, 'src', 'main.ts'), 'serve', '--role', role],
  ];
  const child = spawn(program, args, {
    env: {
      ...common,
      ...clockSettings(clockFile),
      LONGHAND_PORT: new URL(url).port,
      LONGHAND_PUBLIC_URL: 'http://127.0.0.1:8080',
      LONGHAND_DATA_DIR: disk.dataDir,
      LONGHAND_DATABASE_URL: databaseUrlAt(database.target),
      LONGHAND_S3_ENDPOINT: `http://${storage.target}`,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  member.process = child;
  // A start on a database that is away ends with a sentence; an operator's supervisor starts it again.
  child.on('exit', () => {
    if (member.process === child) member.process = undefined;
  });
}

async function stopMember(member: Member, signal: NodeJS.Signals): Promise<void> {
  const child = member.process;
  member.process = undefined;
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill(signal);
  await Promise.race([ended, delay(25_000)]);
  child.kill('SIGKILL');
}

async function chaosDatabase(hooks: Hooks, dataDir: string) {
  const logger = createLogger({ level: 'silent', pretty: false });
  const open = () => openEmbeddedPostgres({ dataDir, logger, clock: systemClock });
  let postgres: EmbeddedPostgres | undefined = await open();
  onCleanup(hooks, async () => postgres?.close());
  const { pathname, searchParams } = new URL(postgres.connectionString);
  return {
    url: postgres.connectionString,
    socket: join(searchParams.get('host') ?? '', '.s.PGSQL.5432'),
    urlAt: (target: string) => `postgres://${searchParams.get('user')}@${target}${pathname}`,
    async freeze() {
      const [pid] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
      const frozen = [Number(pid), ...childProcesses(Number(pid))];
      for (const one of frozen) tryKill(one, 'SIGSTOP');
      return () => {
        for (const one of frozen) tryKill(one, 'SIGCONT');
      };
    },
    async restart(awayMs: number) {
      await postgres?.close();
      postgres = undefined;
      await delay(awayMs);
      postgres = await open();
    },
  };
}

async function chaosStore(hooks: Hooks, directory: string) {
  await mkdir(directory, { recursive: true });
  const server = join(root, 'scripts', 's3-server');
  const started = spawnSync(server, ['start', directory], { encoding: 'utf8', timeout: 120_000 });
  onCleanup(hooks, async () => void spawnSync(server, ['stop', directory], { timeout: 30_000 }));
  if (started.status !== 0)
    throw new Error(`there is no S3 server: ./setup --tests brings one (${started.stderr})`);
  const given = Object.fromEntries(
    [...started.stdout.matchAll(/^export LONGHAND_TEST_(\w+)=(.*)$/gm)].map(([, name = '', text = '']) => [
      name,
      text,
    ]),
  );
  const endpoint = new URL(given.S3_ENDPOINT ?? '');
  const credentials = {
    accessKeyId: given.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: given.S3_SECRET_ACCESS_KEY ?? '',
  };
  const client = new S3({ endpoint: endpoint.href, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.createBucket({ Bucket: bucket });
  return {
    address: { host: endpoint.hostname, port: Number(endpoint.port) },
    settings: {
      LONGHAND_S3_BUCKET: bucket,
      LONGHAND_S3_ACCESS_KEY_ID: credentials.accessKeyId,
      LONGHAND_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      LONGHAND_S3_FORCE_PATH_STYLE: 'true',
    },
    store: new S3Store({
      ...credentials,
      endpoint: endpoint.href,
      bucket,
      region: 'us-east-1',
      forcePathStyle: true,
      clock: systemClock,
    }),
  };
}
