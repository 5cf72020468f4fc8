/** MCP for agents: the tools stand on the same parts as the REST API. */
import type { RoutesDeps } from '../http/routes.ts';
import type { Server } from '../http/server.ts';
import { allowedSenders } from '../mcp/foreign-senders.ts';
import { JobWaits } from '../mcp/job-waits.ts';
import { mcpRoutes } from '../mcp/mcp-routes.ts';
import { SubtitleUnits } from '../mcp/subtitle-units.ts';
import { packageVersion } from '../platform/package-version.ts';
import type { ApiParts } from './api-parts.ts';
import { erasureDeps } from './erasure.ts';

export function openMcp(server: Server, parts: ApiParts, routes: RoutesDeps): void {
  const { foundation, storage, webhooks, queue, publicUrl } = parts;
  const { config, clock, logger } = foundation;
  const { db } = routes.transcriptions;
  const { authenticator, limiter } = routes;
  mcpRoutes(server, {
    agent: {
      version: packageVersion(),
      db,
      logger,
      limiter,
      waits: new JobWaits({ feeds: routes.transcriptionEvents.feeds, clock }),
      subtitles: new SubtitleUnits(),
      transcriptions: routes.transcriptions,
      uploads: routes.uploads,
      erasure: { ...erasureDeps(foundation, storage, webhooks, queue), db },
      webhooks: routes.webhooks,
    },
    authenticator,
    limiter,
    publicUrl,
    hasWebProduct: routes.hasWebProduct,
    senders: allowedSenders(config),
  });
}
