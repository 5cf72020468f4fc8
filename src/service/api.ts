/** The HTTP server, and what stands behind its routes. */
import { readFile } from 'node:fs/promises';
import { Allowance } from '../account/allowance.ts';
import { apiKeyStore } from '../account/api-key-store.ts';
import { Authenticator } from '../account/authenticate.ts';
import type { Principal } from '../account/principal.ts';
import { RateLimiter } from '../account/rate-limit.ts';
import { requestRateStore } from '../account/request-rate-store.ts';
import type { Sessions } from '../account/sessions.ts';
import { judgeUrl } from '../egress/url.ts';
import { EventStreams, type EventStreamsDeps } from '../http/event-streams.ts';
import { countRequests } from '../http/request-metrics.ts';
import { traceRequests } from '../http/request-traces.ts';
import { type RoutesDeps, registerRoutes } from '../http/routes.ts';
import { createServer, type Server } from '../http/server.ts';
import { labelOfSource } from '../media/label.ts';
import type { Database } from '../platform/database/database.ts';
import { KeyedLimit } from '../platform/keyed-limit.ts';
import { StartError } from '../platform/start-error.ts';
import { JobFeeds } from '../transcription/feed/job-feeds.ts';
import { uploadStore } from '../upload/upload-store.ts';
import { verifyUpload } from '../upload/verify-upload.ts';
import { receiverUrlCheck } from '../webhook/receiver-url.ts';
import type { ApiParts } from './api-parts.ts';
import type { Foundation } from './foundation.ts';
import { openMcp } from './mcp.ts';
import { addOpenAi } from './openai.ts';
import { createWeb } from './web.ts';

/** A caller waits for every statement of a request; none of them needs more than milliseconds. */
const queryTimeoutMs = 4_000;
/** While one create of an account holds its row locks, the next gets as far as them. */
const createLimits = { atOnce: 2, waitingMax: 512, waitMs: queryTimeoutMs };

export async function createApi(parts: ApiParts): Promise<Server> {
  const { config, clock, logger, accounts } = parts.foundation;
  const db = parts.foundation.db.limitedTo(queryTimeoutMs);
  const { stores, local, disk } = parts.storage;
  const { webhooks, publicUrl } = parts;
  const allowance = new Allowance(clock);
  const server = createServer({ logger, tls: await tlsOf(parts.foundation) });
  countRequests(server, parts.metrics.meter);
  if (parts.traces) traceRequests(server, parts.traces);
  const authenticator = new Authenticator({ db, accounts, clock, operatorKey: config.apiKey });
  const limiter = new RateLimiter(config.rateLimits, {
    clock,
    take: (accountId, wanted) => requestRateStore.take(db, accountId, wanted),
  });
  const web = createWeb(parts, db, authenticator);
  const streams = new EventStreams({ clock, active: activeCredentials(db, web?.sessions.sessions) });
  server.addHook('preClose', async () => streams.close());
  const routes: RoutesDeps = {
    health: { missing: parts.missing },
    publicUrl,
    hasMcp: config.protocols.has('mcp'),
    metrics: config.metrics ? parts.metrics : undefined,
    authenticator,
    limiter,
    sessions: web?.sessions,
    hasWebProduct: web !== undefined,
    localObjects: local && {
      store: local,
      uploads: {
        isOpen: (key) => uploadStore.isOpen(db, { storage: 'local', key }),
        markReceived: (received) => uploadStore.markReceived(db, received),
      },
    },
    docs: { publicUrl, limits: config },
    uploads: {
      db,
      stores,
      disk,
      allowance,
      clock,
      publicUrl,
      multipartThresholdBytes: config.multipartThresholdBytes,
    },
    transcriptions: {
      db,
      queue: parts.queue,
      accounts,
      allowance,
      logger,
      verifyUpload: (principal, reference) => verifyUpload({ db, stores }, principal, reference),
      useUpload: (tx, use) => uploadStore.use(tx, { ...use, at: clock.date() }),
      isAcceptableSourceUrl: (url) => judgeUrl(url, { allow: config.egressAllow }).ok,
      labelOfUrl: labelOfSource,
      createLimit: new KeyedLimit({ ...createLimits, clock }),
      notes: parts.notes,
      traces: parts.traces,
    },
    transcriptionEvents: { feeds: new JobFeeds({ db, clock }, parts.announcements), streams },
    webhooks: {
      db,
      secretBox: parts.secretBox,
      checkReceiverUrl: receiverUrlCheck(parts.egress),
      afterRemoval: webhooks.afterRemoval,
    },
  };
  registerRoutes(server, routes);
  if (routes.hasMcp) openMcp(server, parts, routes);
  web?.register(server, limiter);
  if (config.protocols.has('openai')) addOpenAi(server, parts.foundation, routes);
  await server.ready();
  return server;
}

/** Which of the keys and sessions that opened a stream still open their account. */
function activeCredentials(db: Database, sessions: Sessions | undefined): EventStreamsDeps['active'] {
  return async (credentials) => {
    const ids = (kind: Principal['credential']['kind']) =>
      credentials.filter((one) => one.kind === kind).map(({ id }) => id);
    const [keys, people] = await Promise.all([
      apiKeyStore.activeAmong(db, ids('key')),
      sessions?.openAmong(ids('session')),
    ]);
    return new Set([...keys, ...(people ?? [])]);
  };
}

async function tlsOf({ config }: Foundation): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  if (!config.tls) return undefined;
  try {
    const [cert, key] = await Promise.all([readFile(config.tls.certFile), readFile(config.tls.keyFile)]);
    return { cert, key };
  } catch (error) {
    throw new StartError(
      `The files of LONGHAND_TLS_CERT and LONGHAND_TLS_KEY cannot be read: ${(error as Error).message}`,
    );
  }
}
