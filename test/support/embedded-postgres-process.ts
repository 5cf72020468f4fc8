/**
 * A process of its own on a data directory, for tests that kill it.
 * Arguments: the data directory, and what to do there: `join`, `serve` (with the claim of a service), or `migrate`
 * with a directory of migrations. Says `ready` with the address, or `refused` with the reason; leaves when its
 * standard input ends.
 */
import { once } from 'node:events';
import { systemClock } from '../../src/platform/clock.ts';
import { Database } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrations.ts';
import { takeServiceLock } from '../../src/platform/database/service-lock.ts';
import { openEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { silentLogger as logger } from './silent-logger.ts';

const [dataDir = '', role = 'join', migrationsDir = ''] = process.argv.slice(2);
process.on('SIGINT', () => {}); // As a service that stops in its own order does.

try {
  await enterAndWork();
} catch (error) {
  console.log(JSON.stringify({ refused: (error as Error).message }));
}

async function enterAndWork(): Promise<void> {
  const postgres = await openEmbeddedPostgres({ dataDir, logger, clock: systemClock });
  const { connectionString } = postgres;
  const applicationName = 'longhand test process';
  const db = new Database({ connectionString, connectionsMax: 2, applicationName, logger });
  try {
    await workOn(db);
  } finally {
    await db.close();
    await postgres.close();
  }
}

async function workOn(db: Database): Promise<void> {
  const claim =
    role === 'serve'
      ? await takeServiceLock({ db, dataDir, logger, clock: systemClock, onLost: () => process.exit(3) })
      : undefined;
  if (role === 'migrate') await migrate(db, migrationsDir, logger);
  console.log(JSON.stringify({ ready: db.connectionString }));
  process.stdin.resume();
  await once(process.stdin, 'end');
  await claim?.release();
}
