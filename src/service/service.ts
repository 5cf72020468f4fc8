/** `longhand serve`: starts the parts in order and stops them in reverse. */
import { ensureFirstAccount, type KeyNotice } from '../account/first-account.ts';
import type { Config } from '../config.ts';
import { createEgress, type Egress } from '../egress/egress.ts';
import { startErasureDuty } from '../erasure/erasure-duty.ts';
import { listen } from '../http/listen.ts';
import { PublicUrl } from '../http/public-url.ts';
import type { Server } from '../http/server.ts';
import type { Clock } from '../platform/clock.ts';
import { Notifications } from '../platform/database/notifications.ts';
import { takeServiceLock } from '../platform/database/service-lock.ts';
import { taskChannel } from '../platform/queue/task-store.ts';
import { noMetrics, openMetrics } from '../platform/telemetry/metrics.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import type { Traces } from '../platform/telemetry/traces.ts';
import { startReconcileDuty } from '../transcription/fault/reconcile.ts';
import { jobChannel } from '../transcription/feed/job-feeds.ts';
import { JobTraces } from '../transcription/trace/job-traces.ts';
import { startSweepDuty } from '../upload/sweep-duty.ts';
import { deliveryChannel } from '../webhook/dispatcher.ts';
import { createApi } from './api.ts';
import { type Check, type Finding, problemsOf } from './check.ts';
import { observeDatabase } from './database-metrics.ts';
import { erasureDeps } from './erasure.ts';
import { type Foundation, openFoundation, secretBoxOf } from './foundation.ts';
import { apiChecks, databaseCheck, storageChecks } from './job-checks.ts';
import { LocalWorker } from './local-worker.ts';
import { openMetricsListener } from './metrics-listener.ts';
import { jobNotes, observeProcess } from './process-metrics.ts';
import { openQueue, openStorage } from './processing.ts';
import { untilReady } from './until-ready.ts';
import { isWebProductOn } from './web.ts';
import { startWebhooks } from './webhooks.ts';

export interface Service {
  /** Undefined for a worker, which listens nowhere. */
  url: string | undefined;
  keys: KeyNotice;
  /** What a job needs and was not there at the start. */
  missing: readonly Finding[];
  /** Resolves as soon as nothing is missing; at once in most cases. */
  ready: Promise<void>;
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
  const egress = createEgress({ allow: config.egressAllow, clock });
  undo.push(() => egress.close());
  const worker =
    config.role === 'api' ? undefined : await LocalWorker.open({ config, clock, logger }, egress);
  const { promise: broken, resolve: onLost } = Promise.withResolvers<Error>();
  const foundation = await openFoundation(config, clock, logger, async (db, isEmbedded) => {
    if (!isEmbedded) return;
    const lock = await takeServiceLock({ db, dataDir: config.dataDir, logger, clock, onLost });
    undo.push(() => lock.release());
  });
  undo.unshift(() => foundation.close());
  const parts = await openParts(foundation, egress, worker, undo);
  const { stores, disk } = parts.storage;
  const { recordEnd, afterEnd } = parts.webhooks;
  const startWorker = async () =>
    worker?.start({ foundation, stores, disk, queue: parts.queue, recordEnd, afterEnd, notes: parts.notes });
  await startWorker();

  const checks = checksOf(foundation, parts, worker);
  if (config.metricsListen) {
    const missing = async () => (await problemsOf(checks)).map(({ name }) => name);
    const listener = await openMetricsListener(config.metricsListen, { ...parts, logger, missing });
    undo.push(() => closeWithin(listener, clock));
  }
  const url = config.role === 'worker' ? undefined : await openApi(foundation, parts, checks, undo);
  // It may end jobs, whose events tell the address that is known by now.
  const reconciling = startReconcileDuty({
    ...erasureDeps(foundation, parts.storage, parts.webhooks, parts.queue),
    admission: { queue: parts.queue, accounts: foundation.accounts },
    notes: parts.notes,
  });
  undo.push(() => reconciling.stop());
  const keys = url === undefined ? ({ kind: 'nothing' } as const) : await firstKey(foundation, parts);
  const missing = await problemsOf(checks);
  const stopping = new AbortController();
  undo.push(async () => stopping.abort());
  const ready =
    missing.length === 0
      ? Promise.resolve()
      : untilReady({ checks, retry: startWorker, clock, logger, signal: stopping.signal });
  return { url, keys, missing, ready, broken, stop: () => stopAll(undo, logger) };
}

type Parts = Awaited<ReturnType<typeof openParts>>;

async function openParts(
  foundation: Foundation,
  egress: Egress,
  worker: LocalWorker | undefined,
  undo: Undo[],
) {
  const { config } = foundation;
  // A worker listens nowhere; the links that it writes into events lead to the API of the same settings.
  const publicUrl = new PublicUrl(config);
  const storage = await openStorage(foundation);
  undo.push(() => storage.close());
  const secretBox = await secretBoxOf(foundation);
  const isMeasured = config.metrics || config.metricsListen !== undefined;
  const metrics = isMeasured ? await openMetrics(foundation.logger) : await noMetrics();
  undo.push(() => metrics.close());
  const { meter } = metrics;
  const traces = await tracesOf(foundation);
  const jobTraces = traces && new JobTraces({ ...foundation, traces });
  undo.push(async () => jobTraces?.close());
  observeDatabase(meter, foundation.db);
  observeProcess(meter, { config, db: foundation.db, storage });
  const announcements = new Notifications(foundation, channelsOf(config.role));
  undo.push(() => announcements.stop());
  const webhooks = await startWebhooks({
    ...{ foundation, egress, secretBox, publicUrl, meter, announcements },
    traces: jobTraces,
  });
  undo.push(() => webhooks.stop());
  const queue = await openQueue(foundation, { announcements });
  undo.push(async () => {
    await worker?.settle();
    await queue.stop(graceMs);
    await worker?.stop();
  });
  return {
    publicUrl,
    storage,
    egress,
    secretBox,
    webhooks,
    queue,
    metrics,
    traces,
    announcements,
    notes: jobNotes(meter, jobTraces),
  };
}

/** Loaded where spans are sent: a start without is the sooner. */
async function tracesOf({ config, clock }: Foundation): Promise<Traces | undefined> {
  const { tracesEndpoint: endpoint, role } = config;
  if (endpoint === undefined) return undefined;
  const { openTraces } = await import('../platform/telemetry/traces.ts');
  return await openTraces({ endpoint, role, clock });
}

/** What a process wants to be told by the database. */
function channelsOf(role: Config['role']): string[] {
  return [
    ...(role === 'api' ? [] : [taskChannel]),
    ...(role === 'worker' ? [] : [jobChannel, deliveryChannel]),
  ];
}

function checksOf(
  { config, clock, db, isEmbedded }: Foundation,
  { storage, secretBox }: Parts,
  worker: LocalWorker | undefined,
): Check[] {
  return [
    ...(worker?.checks ?? []),
    ...storageChecks({ config, clock, ...storage }),
    databaseCheck({ clock, db, isEmbedded }),
    ...(config.role === 'worker' ? [] : apiChecks({ clock, db, secretBox, hasWorker: worker !== undefined })),
  ];
}

/** Listens; gives the address. */
async function openApi(
  foundation: Foundation,
  parts: Parts,
  checks: readonly Check[],
  undo: Undo[],
): Promise<string> {
  const { config, db, clock, logger } = foundation;
  const { stores } = parts.storage;
  // Only where clients send their bytes: a worker on another machine does not see this disk.
  const sweeping = startSweepDuty({ db, stores, clock, logger, retentionDays: config.retentionDays });
  undo.push(() => sweeping.stop());
  const missing = async () => (await problemsOf(checks)).map(({ name }) => name);
  const erasing = startErasureDuty(erasureDeps(foundation, parts.storage, parts.webhooks, parts.queue));
  undo.push(() => erasing.stop());
  const api = await createApi({ ...parts, foundation, missing });
  undo.push(() => closeWithin(api, clock));
  parts.publicUrl.listensOn(await listen(api, config));
  return parts.publicUrl.base;
}

function firstKey(foundation: Foundation, { secretBox }: Parts): Promise<KeyNotice> {
  const { config, db, accounts, clock } = foundation;
  const { plans, apiKey: operatorKey } = config;
  const hasWebProduct = isWebProductOn(config);
  return ensureFirstAccount(db, { accounts, plans, operatorKey, secretBox, clock, hasWebProduct });
}

/** Lets running requests end, then cuts the rest. */
async function closeWithin(api: Server, clock: Clock): Promise<void> {
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
