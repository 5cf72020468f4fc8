/** `longhand move`: with the settings of the new place, from the data directory to an external database and S3. */
import { join } from 'node:path';
import { move } from '../archive/move.ts';
import type { Config } from '../config.ts';
import { takeServiceLock } from '../platform/database/service-lock.ts';
import { generatedSecret } from '../platform/generated-secret.ts';
import { StartError } from '../platform/start-error.ts';
import { type Foundation, openFoundation } from '../service/foundation.ts';
import { openStores } from '../service/processing.ts';
import { commandContext, print } from './command-context.ts';

export async function moveOut(options: { json?: boolean }): Promise<void> {
  const { config, clock, logger } = commandContext();
  await refuseIncomplete(config);
  const embedded = {
    ...config,
    databaseUrl: undefined,
    databaseDirectUrl: undefined,
    storage: 'local' as const,
  };
  let release = async () => {};
  const from = await openFoundation(embedded, clock, logger, async (db) => {
    // A service that still runs would go on taking jobs here.
    const lock = await takeServiceLock({ db, dataDir: config.dataDir, logger, clock, onLost: () => {} });
    release = () => lock.release();
  });
  try {
    const to = await openFoundation({ ...config, migrate: true }, clock, logger);
    try {
      await moveBetween(from, to, options);
    } finally {
      await to.close();
    }
  } finally {
    await release();
    await from.close();
  }
}

async function moveBetween(from: Foundation, to: Foundation, options: { json?: boolean }): Promise<void> {
  const storage = await openStores({ config: to.config, clock: to.clock });
  try {
    const [local, s3] = [storage.stores.get('local'), storage.stores.get('s3')];
    if (!local || !s3) throw new Error('both storages are configured');
    await s3.check();
    const moved = await move({ from: { db: from.db, store: local }, to: { db: to.db, store: s3 } });
    const { uploads, playback, discarded, jobs, tables } = moved;
    const counts = {
      uploads,
      playback_objects: playback,
      uploads_discarded: discarded,
      jobs_in_progress: jobs,
    };
    print({ ...counts, tables }, options, () => [
      `Moved ${tables.account ?? 0} accounts, ${tables.transcription ?? 0} jobs, ${tables.webhook_subscription ?? 0} subscriptions and ${uploads} uploads.`,
      `Uploads to be sent again: ${discarded}. Jobs that begin again: ${jobs}.`,
      `Start the service with these settings now. The old data directory was not changed; do not start it with the old settings any more.`,
    ]);
  } finally {
    await storage.close();
  }
}

async function refuseIncomplete({ databaseUrl, storage, s3, secretKeys, dataDir }: Config): Promise<void> {
  if (!databaseUrl || storage !== 's3' || !s3)
    throw new StartError(
      '"longhand move" runs with the settings of the new place: set LONGHAND_DATABASE_URL, LONGHAND_STORAGE=s3 and the LONGHAND_S3_… settings, and LONGHAND_DATA_DIR to the old data directory.',
    );
  const generated = await generatedSecret(dataDir, 'secret-key');
  if (!secretKeys?.some((key) => key.equals(generated)))
    throw new StartError(
      `The webhook secrets of this data directory were sealed with the key in ${join(dataDir, 'secrets', 'secret-key')}: set LONGHAND_SECRET_KEY to "$(base64 -w0 ${join(dataDir, 'secrets', 'secret-key')})", alone or after a newer one and a comma.`,
    );
}
