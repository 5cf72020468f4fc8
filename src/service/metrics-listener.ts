/** `/metrics`, `/healthz` and `/readyz` on an address of their own, without a key: not for the public. */
import { type HealthDeps, healthRoutes } from '../http/health-routes.ts';
import { listen } from '../http/listen.ts';
import { metricsRoutes } from '../http/metrics-routes.ts';
import { createServer, type Server } from '../http/server.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';

export async function openMetricsListener(
  address: { host: string; port: number },
  { logger, metrics, missing }: { logger: Logger; metrics: Metrics; missing: HealthDeps['missing'] },
): Promise<Server> {
  const server = createServer({ logger });
  metricsRoutes(server, metrics);
  healthRoutes(server, { missing });
  await server.ready();
  const port = await listen(server, address, 'LONGHAND_METRICS_LISTEN');
  logger.info({ host: address.host, port }, 'metrics are served');
  return server;
}
