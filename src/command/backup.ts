/** `longhand backup FILE` and `longhand restore FILE`: the embedded set-up as one file. */

import { backup } from '../archive/backup.ts';
import { restore } from '../archive/restore.ts';
import { Database } from '../platform/database/database.ts';
import { StartError } from '../platform/start-error.ts';
import { openEmbeddedPostgres } from '../postgres/embedded-postgres.ts';
import { makeDataDirectory } from '../service/data-directory.ts';
import { migrationsDir } from '../service/foundation.ts';
import { openStores } from '../service/processing.ts';
import { commandContext, onFoundation, print } from './command-context.ts';

interface Options {
  json?: boolean;
}

export async function backUp(file: string, options: Options): Promise<void> {
  await onFoundation(async ({ db, clock, config, isEmbedded }) => {
    if (!isEmbedded) throw notEmbedded('backup');
    const { createdAt, tables } = await backup({ db, clock, dataDir: config.dataDir }, file);
    print({ file, created_at: createdAt, tables: tables.length }, options, () => [
      `${file} holds the database, the uploads and the secrets as of ${createdAt}. Keep it as secret as they are.`,
    ]);
  });
}

export async function restoreFrom(file: string, options: Options): Promise<void> {
  const { config, clock, logger } = commandContext();
  if (config.databaseUrl) throw notEmbedded('restore');
  const { dataDir } = config;
  await makeDataDirectory(config);
  const openDatabase = async () => {
    const postgres = await openEmbeddedPostgres({ dataDir, logger, clock });
    const { connectionString } = postgres;
    const db = new Database({
      connectionString,
      connectionsMax: 2,
      applicationName: 'longhand restore',
      logger,
    });
    return {
      db,
      async close() {
        await db.close();
        await postgres.close();
      },
    };
  };
  const openStore = async () => {
    const { local, close } = await openStores({ config, clock });
    if (!local) throw new Error('there is no local storage');
    return { store: local, close };
  };
  const deps = { dataDir, migrationsDir, logger, openDatabase, openStore };
  const { manifest, jobs } = await restore(deps, file);
  const { createdAt, version } = manifest;
  print({ data_dir: dataDir, created_at: createdAt, version, jobs_in_progress: jobs }, options, () => [
    `${dataDir} is as of ${createdAt}. Jobs that were in progress begin again with the next start: ${jobs}.`,
  ]);
}

function notEmbedded(command: string): StartError {
  return new StartError(
    `"longhand ${command}" is for the embedded database, and LONGHAND_DATABASE_URL names another: docs/deployment.md has the steps for that.`,
  );
}
