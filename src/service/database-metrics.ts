/** Figures that the database knows, of all processes together; asked for when somebody reads the metrics. */
import type { Meter, ObservableResult } from '@opentelemetry/api';
import type { Queryable } from '../platform/database/database.ts';
import { pendingAudioStore } from '../transcription/audio/pending-audio-store.ts';
import { speakerOutcomeStore } from '../transcription/speaker-outcome-store.ts';
import { jobFigureStore } from '../transcription/trace/job-figure-store.ts';
import { deliveryStore } from '../webhook/delivery-store.ts';

type Observe = (result: ObservableResult) => Promise<void>;

export function observeDatabase(meter: Meter, db: Queryable): void {
  const gauge = (name: string, description: string, observe: Observe) =>
    meter.createObservableGauge(name, { description }).addCallback(observe);
  meter
    .createObservableCounter('longhand_speaker_jobs', {
      description: 'Completed jobs with speaker diarization, by what came of it.',
    })
    .addCallback(async (result) => {
      for (const { outcome, jobs } of await speakerOutcomeStore.all(db)) result.observe(jobs, { outcome });
    });
  gauge(
    'longhand_webhook_deliveries_pending',
    'Webhook deliveries that wait, of all processes: due now, or for a later attempt.',
    async (result) => {
      const counts = await deliveryStore.pendingCounts(db);
      for (const [state, count] of Object.entries(counts)) result.observe(count, { state });
    },
  );
  gauge(
    'longhand_jobs_processing',
    'Jobs in progress by stage and plan, of all processes.',
    async (result) => {
      for (const { stage, plan, jobs } of await jobFigureStore.byStage(db))
        result.observe(jobs, { stage, plan });
    },
  );
  gauge(
    'longhand_jobs_oldest_seconds',
    'For how long the oldest job is in its stage, by stage and plan.',
    async (result) => {
      for (const { stage, plan, oldestSeconds } of await jobFigureStore.byStage(db))
        result.observe(oldestSeconds, { stage, plan });
    },
  );
  gauge('longhand_queue_tasks', 'Tasks that wait, by step.', async (result) => {
    for (const { step, tasks } of await jobFigureStore.tasks(db)) result.observe(tasks, { step });
  });
  gauge(
    'longhand_queue_oldest_seconds',
    'For how long the first waiting task of a step is due.',
    async (result) => {
      for (const { step, oldestSeconds } of await jobFigureStore.tasks(db))
        result.observe(oldestSeconds, { step });
    },
  );
  gauge('longhand_pending_audio_seconds', 'Audio that waits to be recognised.', async (result) =>
    result.observe(await pendingAudioStore.seconds(db)),
  );
  gauge('longhand_workers', 'Workers heard from lately, by version.', async (result) => {
    for (const { version, workers } of await jobFigureStore.workers(db)) result.observe(workers, { version });
  });
  gauge('longhand_worker_capacity', 'Chunks that all workers together recognise at once.', async (result) => {
    const workers = await jobFigureStore.workers(db);
    result.observe(workers.reduce((sum, { capacity }) => sum + capacity, 0));
  });
  gauge('longhand_database_bytes', 'Size of the database.', async (result) =>
    result.observe(await jobFigureStore.databaseBytes(db)),
  );
}
