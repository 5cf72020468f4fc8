/** `longhand serve`: starts the parts in order and stops them in reverse. */
import { ensureFirstAccount, type KeyNotice } from '../account/first-account.ts';
import type { Config } from '../config.ts';
import { createEgress } from '../egress/egress.ts';
import { startErasureDuty } from '../erasure/erasure-duty.ts';
import { listen } from '../http/listen.ts';
import { PublicUrl } from '../http/public-url.ts';
import type { Clock } from '../platform/clock.ts';
import { Notifications } from '../platform/notifications.ts';
import { claimService } from '../platform/service-claim.ts';
import type { Logger } from '../platform/telemetry.ts';
import { jobChannel } from '../transcription/job-feeds.ts';
import { startSweepDuty } from '../upload/sweep-duty.ts';
import { createApi } from './api.ts';
import { erasureDeps } from './erasure.ts';
import { openFoundation, secretBoxOf } from './foundation.ts';
import { openQueue, openStorage, type RunningWorker, startWorker } from './processing.ts';
import { openSpeech } from './speech.ts';
import { startWebhooks } from './webhooks.ts';

export interface Service {
  /** Undefined for a worker, which listens nowhere. */
  url: string | undefined;
  keys: KeyNotice;
  /** Resolves when something broke that the service cannot live without. */
  broken: Promise<Error>;
  stop(): Promise<void>;
}

/** Running requests, chunks and deliveries get this long to end; then they are given back. */
const graceMs = 5_000;

type Undo = () => Promise<void>;

export async function startService(config: Config, clock: Clock, logger: Logger): Promise<Service> {
  const undo: Undo[] = [];
  try {
    return await start(config, clock, logger, undo);
  } catch (error) {
    await stopAll(undo, logger);
    throw error;
  }
}

async function start(config: Config, clock: Clock, logger: Logger, undo: Undo[]): Promise<Service> {
  const { promise: broken, resolve: onLost } = Promise.withResolvers<Error>();
  const foundation = await openFoundation(config, clock, logger, async (db, isEmbedded) => {
    if (!isEmbedded) return;
    const claim = await claimService({ db, dataDir: config.dataDir, logger, clock, onLost });
    undo.push(() => claim.release());
  });
  const { db, accounts } = foundation;
  undo.unshift(() => foundation.close());
  // A worker listens nowhere; the links that it writes into events lead to the API of the same settings.
  const publicUrl = new PublicUrl(config);
  const storage = await openStorage(foundation);
  undo.push(() => storage.close());
  const egress = createEgress({ allow: config.egressAllow, clock });
  undo.push(() => egress.close());
  const secretBox = await secretBoxOf(foundation);
  const webhooks = await startWebhooks({ foundation, egress, secretBox, publicUrl });
  undo.push(() => webhooks.stop());
  const queue = await openQueue(foundation);
  let worker: RunningWorker | undefined;
  undo.push(async () => {
    await queue.stop(graceMs);
    await worker?.stop();
  });
  if (config.role !== 'api') {
    worker = await startWorker({
      foundation,
      speech: await openSpeech(foundation, { open: async () => egress }),
      egress: { open: async () => egress },
      stores: storage.stores,
      queue,
      recordEnd: webhooks.recordEnd,
      afterEnd: webhooks.afterEnd,
    });
  }

  const stop = () => stopAll(undo, logger);
  if (config.role === 'worker') return { url: undefined, keys: { kind: 'nothing' }, broken, stop };
  const { stores } = storage;
  // Only where clients send their bytes: a worker on another machine does not see this disk.
  const sweeping = startSweepDuty({ db, stores, clock, logger, retentionDays: config.retentionDays });
  undo.push(() => sweeping.stop());
  const erasing = startErasureDuty(erasureDeps(foundation, storage, webhooks));
  undo.push(() => erasing.stop());
  const jobChanges = new Notifications({ db, clock, logger }, jobChannel);
  undo.push(() => jobChanges.stop());
  const api = await createApi({
    foundation,
    storage,
    queue,
    egress,
    secretBox,
    webhooks,
    publicUrl,
    jobChanges,
  });
  undo.push(() => closeWithin(api, clock));
  publicUrl.listensOn(await listen(api, config));
  const { plans, apiKey: operatorKey } = config;
  const keys = await ensureFirstAccount(db, { accounts, plans, operatorKey, secretBox });
  return { url: publicUrl.base, keys, broken, stop };
}

/** Lets running requests end, then cuts the rest. */
async function closeWithin(api: Awaited<ReturnType<typeof createApi>>, clock: Clock): Promise<void> {
  const closed = api.close();
  const waited = new AbortController();
  const late = clock.sleep(graceMs, waited.signal).then(
    () => api.server.closeAllConnections(),
    () => {},
  );
  await closed;
  waited.abort();
  await late;
}

async function stopAll(undo: Undo[], logger: Logger): Promise<void> {
  for (const step of undo.splice(0).toReversed()) {
    await step().catch((error: unknown) => logger.error({ err: error }, 'a part did not stop cleanly'));
  }
}
