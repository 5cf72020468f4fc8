/** The HTTP door: which routes there are, and what stands behind them. */
import { readFile } from 'node:fs/promises';
import { Allowance } from '../account/allowance.ts';
import { Authenticator } from '../account/authenticate.ts';
import { requireApiKey } from '../http/authentication.ts';
import { discoveryRoutes } from '../http/discovery-routes.ts';
import { docsRoutes } from '../http/docs-routes.ts';
import { healthRoutes } from '../http/health-routes.ts';
import { homeRoutes } from '../http/home-routes.ts';
import { localObjectRoutes } from '../http/local-object-routes.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { createServer, type Server } from '../http/server.ts';
import { transcriptionRoutes } from '../http/transcription-routes.ts';
import { uploadRoutes } from '../http/upload-routes.ts';
import { judgeUrl } from '../platform/egress-url.ts';
import type { TaskQueue } from '../platform/queue.ts';
import { StartError } from '../platform/start-error.ts';
import { verifyUpload } from '../upload/verify-upload.ts';
import type { Foundation } from './foundation.ts';
import type { Storage } from './processing.ts';

export interface ApiParts {
  foundation: Foundation;
  storage: Storage;
  queue: TaskQueue;
  publicUrl: () => string;
}

export async function createApi({ foundation, storage, queue, publicUrl }: ApiParts): Promise<Server> {
  const { config, clock, logger, db, accounts } = foundation;
  const { stores, local } = storage;
  const allowance = new Allowance(clock);
  const server = createServer({ logger, tls: await tlsOf(foundation) });

  server.register(async () => {
    homeRoutes(server);
    healthRoutes(server, { db, clock });
    discoveryRoutes(server, { publicUrl });
    await docsRoutes(server);
  });
  server.register(async (objects) => localObjectRoutes(objects as Server, { store: local }));
  server.register(async (api) => {
    const authenticator = new Authenticator({ db, accounts, clock, operatorKey: config.apiKey });
    requireApiKey(api, authenticator, new RateLimiter(config.rateLimits, clock));
    uploadRoutes(api as Server, {
      db,
      stores,
      allowance,
      clock,
      multipartThresholdBytes: config.multipartThresholdBytes,
    });
    transcriptionRoutes(api, {
      db,
      queue,
      allowance,
      verifyUpload: (account, { key, storage: id, size, filename, content_type }) =>
        verifyUpload(
          { db, stores },
          { account, key, storage: id, sizeBytes: size, filename, contentType: content_type ?? null },
        ),
      isAcceptableSourceUrl: (url) => judgeUrl(url, { allow: config.egressAllow }).ok,
      labelOfUrl,
    });
  });
  await server.ready();
  return server;
}

/** The last part of the path, or the host: what a person would call the link. */
function labelOfUrl(text: string): string {
  const url = new URL(text);
  const last = url.pathname.split('/').filter(Boolean).at(-1);
  if (!last) return url.hostname;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
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
