/** A service that follows jobs, for measuring: a database, an API process and a worker of their own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Longhand } from 'longhand-client';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import { openEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { freePort } from '../../test/support/free-port.ts';
import {
  type BenchPlace,
  type BenchService,
  benchApiKey,
  startBenchService,
  startBenchWorker,
} from './upload-service.ts';

export interface Stage {
  directory: string;
  service: BenchService;
  apiKey: string;
  longhand: Longhand;
}

/** Nobody has used it before, and nothing of it is left afterwards. */
export async function onStage<Result>(measure: (stage: Stage) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-bench-'));
  const logger = createLogger({ level: 'error', pretty: true });
  const dataDir = join(directory, 'database');
  const postgres = await openEmbeddedPostgres({ dataDir, logger, clock: systemClock });
  const place: BenchPlace = {
    dataDir: join(directory, 'data'),
    databaseUrl: postgres.connectionString,
    port: await freePort(),
    apiKey: benchApiKey(),
    settings: { LONGHAND_WORKERS: '2' },
  };
  const worker = await startBenchWorker(place);
  const service = await startBenchService(place);
  try {
    const { apiKey } = place;
    const longhand = new Longhand({ apiKey, baseUrl: service.url });
    return await measure({ directory, service, apiKey, longhand });
  } finally {
    await service.kill('SIGKILL');
    await worker.kill('SIGKILL');
    await postgres.close();
    await rm(directory, { recursive: true, force: true });
  }
}
