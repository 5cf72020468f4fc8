/** A small fleet of real processes, and everything that can be done to it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { S3 } from '@aws-sdk/client-s3';
import { systemClock } from '../src/platform/clock.ts';
import { createLogger } from '../src/platform/telemetry.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';
import { childProcesses } from '../test/support/child-processes.ts';
import { type Hooks, onCleanup } from '../test/support/cleanup.ts';
import { freePort } from '../test/support/free-port.ts';
import { openTcpProxy, type TcpProxy } from '../test/support/tcp-proxy.ts';
import { benchApiKey } from './upload-service.ts';

const root = join(import.meta.dirname, '..');
const bucket = 'chaos';

export interface Member {
  name: string;
  role: 'api' | 'worker';
  dataDir: string;
  /** Of an API. */
  url: string;
  /** Its own ways to the database and to the store. */
  database: TcpProxy;
  storage: TcpProxy;
  process: ChildProcess | undefined;
}

export interface ChaosFleet {
  members: readonly Member[];
  operatorKey: string;
  /** For whoever checks: the server itself, past every proxy. */
  databaseUrl: string;
  store: { list(prefix: string): Promise<string[]> };
  start(member: Member): Promise<void>;
  stop(member: Member, signal: NodeJS.Signals): Promise<void>;
  /** Every process of it, or of the database: SIGSTOP or SIGCONT. */
  signalAll(member: Member, signal: NodeJS.Signals): void;
  freezeDatabase(): Promise<() => void>;
  restartDatabase(awayMs: number): Promise<void>;
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
    LONGHAND_LOG_LEVEL: 'fatal',
    ...settings,
  };
  const members: Member[] = [];
  for (const [role, count] of [
    ['api', apis],
    ['worker', workers],
  ] as const) {
    for (let number = 1; number <= count; number += 1) {
      const dataDir = join(directory, `${role}-${number}`);
      await mkdir(dataDir);
      members.push({
        name: `${role} ${number}`,
        role,
        dataDir,
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
    async scratchFiles() {
      const found = await Promise.all(
        members.map(({ dataDir }) => readdir(join(dataDir, 'tmp'), { recursive: true }).catch(() => [])),
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

async function startMember(
  member: Member,
  common: Record<string, string>,
  databaseUrlAt: (target: string) => string,
): Promise<void> {
  const { role, dataDir, url, database, storage } = member;
  const child = spawn(process.execPath, [join(root, 'src', 'main.ts'), 'serve', '--role', role], {
    env: {
      ...common,
      LONGHAND_PORT: new URL(url).port,
      LONGHAND_PUBLIC_URL: 'http://127.0.0.1:8080',
      LONGHAND_DATA_DIR: dataDir,
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
    store: {
      async list(prefix: string) {
        const { Contents = [] } = await client.listObjectsV2({ Bucket: bucket, Prefix: prefix });
        return Contents.map(({ Key = '' }) => Key);
      },
    },
  };
}
