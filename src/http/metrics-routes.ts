import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database.ts';
import { speakerOutcomeStore } from '../transcription/speaker-outcome-store.ts';
import type { AttemptCounts } from '../webhook/attempt-counts.ts';
import { deliveryStore } from '../webhook/delivery-store.ts';
import type { Server } from './server.ts';

export interface MetricsDeps {
  db: Queryable;
  clock: Clock;
  webhookAttempts(): AttemptCounts;
}

/** GET /metrics in Prometheus' text form. Registered only where the operator asks for it: it has no key. */
export function metricsRoutes(server: Server, { db, clock, webhookAttempts }: MetricsDeps): void {
  server.route({
    method: 'GET',
    url: '/metrics',
    schema: { hide: true },
    handler: async (_request, reply) => {
      const outcomes = await speakerOutcomeStore.all(db);
      const { waiting, due } = await deliveryStore.pendingCounts(db, clock.date());
      const lines = [
        '# HELP longhand_speaker_jobs_total Completed jobs with speaker diarization, by what came of it.',
        '# TYPE longhand_speaker_jobs_total counter',
        ...outcomes.map(({ outcome, jobs }) => `longhand_speaker_jobs_total{outcome="${outcome}"} ${jobs}`),
        '# HELP longhand_webhook_attempts_total Webhook attempts of this process since its start, by what came of them.',
        '# TYPE longhand_webhook_attempts_total counter',
        ...Object.entries(webhookAttempts()).map(
          ([outcome, attempts]) => `longhand_webhook_attempts_total{outcome="${outcome}"} ${attempts}`,
        ),
        '# HELP longhand_webhook_line Webhook deliveries that wait, of all processes: due now, or for a later attempt.',
        '# TYPE longhand_webhook_line gauge',
        `longhand_webhook_line{state="due"} ${due}`,
        `longhand_webhook_line{state="later"} ${waiting - due}`,
      ];
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(`${lines.join('\n')}\n`);
    },
  });
}
