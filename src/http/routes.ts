import type { Authenticator } from '../account/authenticate.ts';
import type { RateLimiter } from '../account/rate-limit.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { CreateTranscriptionDeps } from '../transcription/admission/create-transcription.ts';
import { requireApiKey } from './authentication.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import { type DocsDeps, docsRoutes } from './docs-routes.ts';
import { type HealthDeps, healthRoutes } from './health-routes.ts';
import { homeRoutes } from './home-routes.ts';
import { type LocalObjectDeps, localObjectRoutes } from './local-object-routes.ts';
import { metricsRoutes } from './metrics-routes.ts';
import type { PublicUrl } from './public-url.ts';
import type { Server } from './server.ts';
import type { SessionRequests } from './session-requests.ts';
import { type TranscriptionEventDeps, transcriptionEventRoutes } from './transcription-event-routes.ts';
import { transcriptionRoutes } from './transcription-routes.ts';
import { type UploadRoutesDeps, uploadRoutes } from './upload-routes.ts';
import { type WebhookRoutesDeps, webhookRoutes } from './webhook-routes.ts';

export interface RoutesDeps {
  health: HealthDeps;
  publicUrl: PublicUrl;
  /** Whether agents are served at /mcp. */
  hasMcp: boolean;
  /** Undefined where GET /metrics does not answer. */
  metrics: Pick<Metrics, 'text'> | undefined;
  authenticator: Authenticator;
  limiter: RateLimiter;
  /** Undefined where the web product is off. */
  sessions: SessionRequests | undefined;
  /** Then it has the address `/`. */
  hasWebProduct: boolean;
  /** Undefined where the local storage is on another machine. */
  localObjects: LocalObjectDeps | undefined;
  docs: DocsDeps;
  uploads: UploadRoutesDeps;
  transcriptions: CreateTranscriptionDeps;
  transcriptionEvents: TranscriptionEventDeps;
  webhooks: WebhookRoutesDeps;
}

/** Everything the service answers to. */
export function registerRoutes(server: Server, deps: RoutesDeps): void {
  server.register(async () => {
    if (!deps.hasWebProduct) homeRoutes(server);
    healthRoutes(server, deps.health);
    discoveryRoutes(server, deps);
    if (deps.metrics) metricsRoutes(server, deps.metrics);
    docsRoutes(server, deps.docs);
  });
  const { localObjects } = deps;
  if (localObjects) server.register(async (scope) => localObjectRoutes(scope as Server, localObjects));
  server.register(async (api) => {
    requireApiKey(api, deps.authenticator, deps.limiter, { sessions: deps.sessions });
    uploadRoutes(api as Server, deps.uploads);
    transcriptionRoutes(api, deps.transcriptions);
    transcriptionEventRoutes(api, deps.transcriptionEvents);
    webhookRoutes(api, deps.webhooks);
  });
}
