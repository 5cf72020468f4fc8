/**
 * The embedded PostgreSQL of a data directory, shared by every Longhand process on it. The first one in starts the
 * server, the last one out stops it. "In" is a shared advisory lock, so a killed process is out at once and the
 * server that it leaves behind is joined by the next one.
 */
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import { type DedicatedConnection, openConnection } from '../platform/database/dedicated-connection.ts';
import { StartError } from '../platform/start-error.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import { findPostgresBinaries } from './binaries.ts';
import { databaseName, ensureCluster } from './cluster.ts';
import {
  findServer,
  lastServerMessage,
  removeStaleRecord,
  type ServerOptions,
  startServer,
  stopServer,
} from './server.ts';
import {
  ensureSocketDirectory,
  removeSocketDirectory,
  socketConnectionString,
  socketDirectory,
} from './socket.ts';
import { choosePostgresUser } from './user.ts';

export interface EmbeddedPostgresOptions {
  /** Longhand's data directory; the database takes `postgres` in it. */
  dataDir: string;
  logger: Logger;
  clock: Clock;
  /** Instead of ours, for a server whose data nobody needs after it stopped. */
  settings?: Readonly<Record<string, string>>;
}

export interface EmbeddedPostgres {
  readonly connectionString: string;
  /** Leaves; stops the server when nobody else is in. */
  close(): Promise<void>;
}

/** Held shared by whoever is in, exclusively by the one who stops the server. In the database `postgres`. */
const presenceLock = 7_005_001;
const pollMs = 20;
/** Recovery after a crash of the machine counts: 256 MB of log take seconds. */
const readyWithinMs = 60_000;
/** The orphans of a killed server hold its memory for a moment, and a new one refuses until they are gone. */
const startPausesMs = [0, 50, 100, 200, 400, 800, 1_600];
/** A server that runs this long without a socket has lost it. */
const socketWithinMs = 5_000;
const stopWithinMs = 5_000;
const restartsMax = 5;
const restartsWithinMs = 600_000;

export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  await mkdir(options.dataDir, { recursive: true });
  const dataDir = await realpath(options.dataDir);
  const membership = new Membership({ ...options, dataDir });
  await membership.enter();
  return {
    connectionString: socketConnectionString(membership.socketDir, databaseName),
    close: () => membership.leave(),
  };
}

class Membership {
  readonly socketDir: string;
  readonly #dataDir: string;
  readonly #clusterDir: string;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #logger: Logger;
  readonly #clock: Clock;
  #connection: DedicatedConnection | undefined;
  #reentering: Promise<void> | undefined;
  #leaving = false;
  readonly #restartTimes: number[] = [];

  constructor({ dataDir, logger, clock, settings = {} }: EmbeddedPostgresOptions) {
    this.#dataDir = dataDir;
    this.#settings = settings;
    this.#clusterDir = join(dataDir, 'postgres');
    this.socketDir = socketDirectory(this.#clusterDir);
    this.#logger = logger;
    this.#clock = clock;
  }

  async enter(): Promise<void> {
    const connection = await this.#join();
    this.#connection = connection;
    void connection.lost.then((reason) => {
      if (this.#leaving) return;
      this.#connection = undefined;
      this.#reentering ??= this.#reenter(reason).finally(() => {
        this.#reentering = undefined;
      });
    });
  }

  async leave(): Promise<void> {
    this.#leaving = true;
    await this.#reentering;
    const connection = this.#connection;
    this.#connection = undefined;
    if (!connection) return;
    try {
      await connection.query('select pg_advisory_unlock_shared($1)', [presenceLock]);
      const [last] = await connection.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [
        presenceLock,
      ]);
      if (last?.alone) await this.#stop();
    } catch (error) {
      this.#logger.warn({ err: error }, 'the embedded PostgreSQL was gone before it could be stopped');
    } finally {
      await connection.close().catch(() => {}); // The server that we stopped has closed it already.
    }
  }

  async #stop(): Promise<void> {
    const stopped = await stopServer(this.#clusterDir, this.#clock, stopWithinMs);
    if (stopped) await removeSocketDirectory(this.socketDir, this.#clusterDir);
    else this.#logger.error({ clusterDir: this.#clusterDir }, 'the embedded PostgreSQL did not stop');
  }

  async #reenter(reason: Error): Promise<void> {
    const now = this.#clock.now();
    this.#restartTimes.push(now);
    const recent = this.#restartTimes.filter((time) => now - time < restartsWithinMs);
    if (recent.length > restartsMax) {
      this.#logger.fatal({ err: reason }, 'the embedded PostgreSQL keeps dying; it is not started again');
      return;
    }
    this.#logger.error({ err: reason }, 'the embedded PostgreSQL was lost; starting it again');
    try {
      await this.enter();
      this.#logger.info('the embedded PostgreSQL is back');
    } catch (error) {
      if (this.#leaving) return;
      this.#logger.fatal({ err: error }, 'the embedded PostgreSQL could not be started again');
    }
  }

  /** Comes in by the server that is there, or starts one. Others may be doing the same at the same time. */
  async #join(): Promise<DedicatedConnection> {
    const deadline = this.#clock.now() + readyWithinMs;
    let started = { ended: true };
    let starts = 0;
    let silentSince = this.#clock.now();
    while (this.#clock.now() < deadline && !this.#leaving) {
      const found = await this.#tryConnect();
      if (typeof found === 'object') return found;
      const mayComeUp = found === 'busy' || !started.ended;
      if (mayComeUp) {
        silentSince = this.#clock.now();
      } else if ((await findServer(this.#clusterDir)) === undefined) {
        const pauseMs = startPausesMs[starts];
        if (pauseMs === undefined) throw await this.#startError();
        starts += 1;
        await this.#clock.sleep(pauseMs);
        started = await this.#start();
      } else if (this.#clock.now() - silentSince > socketWithinMs) {
        this.#logger.warn('a PostgreSQL left over from earlier has no socket; stopping it');
        await stopServer(this.#clusterDir, this.#clock, stopWithinMs);
      }
      await this.#clock.sleep(pollMs);
    }
    throw await this.#startError();
  }

  async #tryConnect(): Promise<DedicatedConnection | 'busy' | 'absent'> {
    const connectionString = socketConnectionString(this.socketDir, 'postgres');
    let connection: DedicatedConnection | undefined;
    try {
      connection = await openConnection({ connectionString, applicationName: 'longhand presence' });
      const [row] = await connection.query<{ entered: boolean }>(
        'select pg_try_advisory_lock_shared($1) as entered',
        [presenceLock],
      );
      if (row?.entered) return connection;
      await connection.close();
      return 'busy'; // The last one out is stopping it.
    } catch (error) {
      await connection?.close().catch(() => {});
      return this.#answerOf(error as NodeJS.ErrnoException);
    }
  }

  #answerOf(error: NodeJS.ErrnoException): 'busy' | 'absent' {
    const { code = '' } = error;
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'absent';
    if (code === 'EACCES') {
      throw new StartError(
        `This user may not use the database in ${this.#clusterDir}: run Longhand as the owner of that directory, or choose another LONGHAND_DATA_DIR.`,
        { cause: error },
      );
    }
    // Class 28 is a refused login, 3D a missing database: no wait mends these. The rest is starting, stopping, full.
    if (/^(28|3D)...$/.test(code)) {
      throw new StartError(`The database in ${this.#clusterDir} refuses Longhand: ${error.message}.`, {
        cause: error,
      });
    }
    return 'busy';
  }

  async #start(): Promise<{ ended: boolean }> {
    const server = await this.#prepare();
    await removeStaleRecord(this.#clusterDir);
    const daemon = await startServer(server);
    const started = { ended: false };
    const end = () => {
      started.ended = true;
    };
    daemon.exited.then(end, end);
    return started;
  }

  async #prepare(): Promise<ServerOptions> {
    const clusterDir = this.#clusterDir;
    const binaries = await findPostgresBinaries();
    const { postgres } = binaries;
    const postgresUser = await choosePostgresUser({ postgres, dataDir: this.#dataDir, clusterDir });
    const cluster = await ensureCluster({ clusterDir, binaries, postgresUser, clock: this.#clock });
    if (cluster === 'made') this.#logger.debug({ clusterDir }, 'made the embedded database');
    await ensureSocketDirectory(this.socketDir, clusterDir, postgresUser.user);
    const paths = { clusterDir, socketDir: this.socketDir, logPath: this.#logPath };
    return { postgres, postgresUser, ...paths, settings: this.#settings };
  }

  get #logPath(): string {
    return join(this.#dataDir, 'postgres.log');
  }

  async #startError(): Promise<StartError> {
    const said = await lastServerMessage(this.#logPath).catch(() => '');
    return new StartError(
      `The embedded PostgreSQL in ${this.#clusterDir} does not start${said ? ` (${said})` : ''}; its log is ${this.#logPath}.`,
    );
  }
}
