/** Figures that the database knows, of all processes together; asked for when somebody reads the metrics. */
import type { Meter } from '@opentelemetry/api';
import type { Queryable } from '../platform/database.ts';
import { speakerOutcomeStore } from '../transcription/speaker-outcome-store.ts';
import { deliveryStore } from '../webhook/delivery-store.ts';

export function observeDatabase(meter: Meter, db: Queryable): void {
  meter
    .createObservableCounter('longhand_speaker_jobs', {
      description: 'Completed jobs with speaker diarization, by what came of it.',
    })
    .addCallback(async (result) => {
      for (const { outcome, jobs } of await speakerOutcomeStore.all(db)) result.observe(jobs, { outcome });
    });
  meter
    .createObservableGauge('longhand_webhook_deliveries_pending', {
      description: 'Webhook deliveries that wait, of all processes: due now, or for a later attempt.',
    })
    .addCallback(async (result) => {
      const counts = await deliveryStore.pendingCounts(db);
      for (const [state, count] of Object.entries(counts)) result.observe(count, { state });
    });
}
