import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database.ts';
import { isProcessingAvailable } from '../transcription/worker-presence.ts';
import type { Server } from './server.ts';

const readyWithinMs = 3_000;

/** For whoever watches the service: `/healthz` says that the process lives, `/readyz` that it can take work. */
export function healthRoutes(server: Server, { db, clock }: { db: Queryable; clock: Clock }): void {
  server.route({
    method: 'GET',
    url: '/healthz',
    schema: { hide: true },
    handler: async () => ({ status: 'alive' }),
  });

  server.route({
    method: 'GET',
    url: '/readyz',
    schema: { hide: true },
    handler: async (_request, reply) => {
      const missing = await missingFor(db, clock);
      return missing ? reply.code(503).send({ status: 'not ready', missing }) : { status: 'ready' };
    },
  });
}

async function missingFor(db: Queryable, clock: Clock): Promise<'database' | 'worker' | undefined> {
  const late = clock.sleep(readyWithinMs).then(() => Promise.reject(new Error('late')));
  try {
    const available = await Promise.race([isProcessingAvailable(db), late]);
    return available ? undefined : 'worker';
  } catch {
    return 'database';
  } finally {
    late.catch(() => {});
  }
}
