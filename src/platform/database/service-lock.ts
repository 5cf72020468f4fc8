/** One service at a time on an embedded database. Commands join it without a lock. */
import type { Clock } from '../clock.ts';
import { StartError } from '../start-error.ts';
import type { Logger } from '../telemetry/telemetry.ts';
import type { Database } from './database.ts';
import type { DedicatedConnection } from './dedicated-connection.ts';

export interface ServiceLockDeps {
  db: Database;
  dataDir: string;
  logger: Logger;
  clock: Clock;
  /** Called when the lock was lost for good, with the database: the service must stop. */
  onLost: (error: Error) => void;
}

export interface ServiceLock {
  release(): Promise<void>;
}

const serviceLock = 7_005_002;
const pollMs = 50;
/** The server notices the death of a killed service within milliseconds; its successor must not be refused for that. */
const firstTakeWithinMs = 1_500;
/** Long enough for the database to be started again and to recover. */
const retakeWithinMs = 90_000;

/** Held by a connection, so it is free again at once when the process dies. */
export async function takeServiceLock(options: ServiceLockDeps): Promise<ServiceLock> {
  const { dataDir, clock, logger, onLost } = options;
  const released = new AbortController();
  let connection = await take(options, clock.now() + firstTakeWithinMs, false);
  if (!connection) {
    throw new StartError(
      `Another Longhand service is running on the data directory ${dataDir}: stop it first, or choose another LONGHAND_DATA_DIR.`,
    );
  }

  const keep = async () => {
    while (connection) {
      const reason = await connection.lost;
      if (released.signal.aborted) return;
      logger.warn(
        { err: reason },
        'the lock on the data directory was lost with its connection; retaking it',
      );
      connection = await take(options, clock.now() + retakeWithinMs, true, released.signal);
    }
    if (!released.signal.aborted) onLost(new Error(`the lock on the data directory ${dataDir} was lost`));
  };
  keep().catch(onLost);

  return {
    async release() {
      released.abort();
      await connection?.close();
    },
  };
}

async function take(
  { db, clock }: ServiceLockDeps,
  deadline: number,
  mayBeAway: boolean,
  released?: AbortSignal,
): Promise<DedicatedConnection | undefined> {
  do {
    const connection = await db.dedicatedConnection('longhand service').catch((error: unknown) => {
      if (mayBeAway) return undefined;
      throw error;
    });
    const [row] =
      (await connection?.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
        serviceLock,
      ])) ?? [];
    if (row?.taken && !released?.aborted) return connection;
    await connection?.close();
    await clock.sleep(pollMs);
  } while (clock.now() < deadline && !released?.aborted);
  return undefined;
}
