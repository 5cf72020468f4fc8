/** What the service and every command stand on: the configuration's database, brought up to date. */
import { join } from 'node:path';
import { type AccountStore, accountStore } from '../account/account-store.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import { Database } from '../platform/database/database.ts';
import { migrate, refuseOutdated } from '../platform/database/migrations.ts';
import { generatedSecret } from '../platform/generated-secret.ts';
import { SecretBox } from '../platform/secret-box.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import { openEmbeddedPostgres } from '../postgres/embedded-postgres.ts';
import { makeDataDirectory } from './data-directory.ts';
import { refuseUnusableDatabase } from './external-database.ts';

export interface Foundation {
  config: Config;
  clock: Clock;
  logger: Logger;
  db: Database;
  accounts: AccountStore;
  isEmbedded: boolean;
  /** The migrations that were run just now. */
  migrated: readonly string[];
  close(): Promise<void>;
}

export const migrationsDir = join(import.meta.dirname, '..', '..', 'migrations');
/** A worker waits for its database less often than an API does. */
const connectionsMax = { all: 20, api: 20, worker: 6 };

/**
 * Joins the embedded database or starts it, or connects to the configured one. `prepare` runs before the schema is
 * brought up to date: a service that finds another one on its data directory must not change anything.
 */
export async function openFoundation(
  config: Config,
  clock: Clock,
  logger: Logger,
  prepare: (db: Database, isEmbedded: boolean) => Promise<void> = async () => {},
): Promise<Foundation> {
  await makeDataDirectory(config);
  const embedded = config.databaseUrl
    ? undefined
    : await openEmbeddedPostgres({ dataDir: config.dataDir, logger, clock });
  const connectionString = config.databaseUrl ?? embedded?.connectionString ?? '';
  const db = new Database({
    connectionString,
    directConnectionString: config.databaseDirectUrl,
    connectionsMax: config.databaseConnectionsMax ?? connectionsMax[config.role],
    applicationName: `longhand ${config.role}`,
    logger,
  });
  const close = async () => {
    await db.close();
    await embedded?.close();
  };
  let migrated: string[] = [];
  try {
    if (config.databaseUrl) await refuseUnusableDatabase(db, config.databaseUrl);
    await prepare(db, embedded !== undefined);
    if (config.migrate) migrated = await migrate(db, migrationsDir, logger);
    else await refuseOutdated(db, migrationsDir);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    config,
    clock,
    logger,
    db,
    accounts: accountStore(config.plans),
    isEmbedded: embedded !== undefined,
    migrated,
    close,
  };
}

/** The box for webhook secrets. On the embedded database Longhand makes its own key; on an external one it must be set. */
export async function secretBoxOf({ config, isEmbedded }: Foundation): Promise<SecretBox | undefined> {
  if (config.secretKeys) return new SecretBox(config.secretKeys);
  return isEmbedded ? new SecretBox([await generatedSecret(config.dataDir, 'secret-key')]) : undefined;
}
