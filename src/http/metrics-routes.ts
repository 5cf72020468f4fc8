import type { Queryable } from '../platform/database.ts';
import { speakerOutcomeStore } from '../transcription/speaker-outcome-store.ts';
import type { Server } from './server.ts';

/** GET /metrics in Prometheus' text form. Registered only where the operator asks for it: it has no key. */
export function metricsRoutes(server: Server, { db }: { db: Queryable }): void {
  server.route({
    method: 'GET',
    url: '/metrics',
    schema: { hide: true },
    handler: async (_request, reply) => {
      const outcomes = await speakerOutcomeStore.all(db);
      const lines = [
        '# HELP longhand_speaker_jobs_total Completed jobs with speaker diarization, by what came of it.',
        '# TYPE longhand_speaker_jobs_total counter',
        ...outcomes.map(({ outcome, jobs }) => `longhand_speaker_jobs_total{outcome="${outcome}"} ${jobs}`),
      ];
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(`${lines.join('\n')}\n`);
    },
  });
}
