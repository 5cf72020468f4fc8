/** One service at a time on an embedded database. Commands join it without a claim. */
import type { Clock } from '../clock.ts';
import { StartError } from '../start-error.ts';
import type { Logger } from '../telemetry/telemetry.ts';
import type { Database } from './database.ts';
import type { DatabaseSession } from './database-session.ts';

export interface ServiceClaimDeps {
  db: Database;
  dataDir: string;
  logger: Logger;
  clock: Clock;
  /** Called when the claim was lost for good, with the database: the service must stop. */
  onLost: (error: Error) => void;
}

export interface ServiceClaim {
  release(): Promise<void>;
}

const claimLock = 7_005_002;
const pollMs = 50;
/** The server notices the death of a killed service within milliseconds; its successor must not be refused for that. */
const firstClaimWithinMs = 1_500;
/** Long enough for the database to be started again and to recover. */
const reclaimWithinMs = 90_000;

/** Held by a connection, so it is free again at once when the process dies. */
export async function claimService(options: ServiceClaimDeps): Promise<ServiceClaim> {
  const { dataDir, clock, logger, onLost } = options;
  const released = new AbortController();
  let session = await take(options, clock.now() + firstClaimWithinMs, false);
  if (!session) {
    throw new StartError(
      `Another Longhand service is running on the data directory ${dataDir}: stop it first, or choose another LONGHAND_DATA_DIR.`,
    );
  }

  const keep = async () => {
    while (session) {
      const reason = await session.lost;
      if (released.signal.aborted) return;
      logger.warn(
        { err: reason },
        'the claim on the data directory was lost with its connection; retaking it',
      );
      session = await take(options, clock.now() + reclaimWithinMs, true, released.signal);
    }
    if (!released.signal.aborted) onLost(new Error(`the claim on the data directory ${dataDir} was lost`));
  };
  keep().catch(onLost);

  return {
    async release() {
      released.abort();
      await session?.close();
    },
  };
}

async function take(
  { db, clock }: ServiceClaimDeps,
  deadline: number,
  mayBeAway: boolean,
  released?: AbortSignal,
): Promise<DatabaseSession | undefined> {
  do {
    const session = await db.holdSession('longhand service').catch((error: unknown) => {
      if (mayBeAway) return undefined;
      throw error;
    });
    const [row] =
      (await session?.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [claimLock])) ??
      [];
    if (row?.taken && !released?.aborted) return session;
    await session?.close();
    await clock.sleep(pollMs);
  } while (clock.now() < deadline && !released?.aborted);
  return undefined;
}
