/** Figures of this process alone. */
import type { Meter } from '@opentelemetry/api';
import type { Config } from '../config.ts';
import type { Database } from '../platform/database/database.ts';
import { packageVersion } from '../platform/package-version.ts';
import type { JobNotes } from '../transcription/trace/job-notes.ts';
import type { JobTraces } from '../transcription/trace/job-traces.ts';
import type { Storage } from './processing.ts';

export function observeProcess(
  meter: Meter,
  {
    config,
    db,
    storage,
  }: { config: Config; db: Pick<Database, 'faults'>; storage: Pick<Storage, 'disk' | 'faults'> },
): void {
  meter
    .createObservableGauge('longhand_info', { description: 'Which release runs here, and what it does.' })
    .addCallback((result) => result.observe(1, { version: packageVersion(), role: config.role }));
  meter
    .createObservableGauge('longhand_process_memory_bytes', { description: 'Memory of this process.' })
    .addCallback((result) => {
      const { rss, heapUsed } = process.memoryUsage();
      result.observe(rss, { kind: 'resident' });
      result.observe(heapUsed, { kind: 'heap' });
    });
  meter
    .createObservableGauge('longhand_disk_bytes', {
      description: "The data directory's disk: free, and held in reserve.",
    })
    .addCallback(async (result) => {
      const { freeBytes, reserveBytes } = await storage.disk.space();
      result.observe(freeBytes, { kind: 'free' });
      result.observe(reserveBytes, { kind: 'reserve' });
    });
  meter
    .createObservableCounter('longhand_database_errors', {
      description: 'Statements for which the database was not available.',
    })
    .addCallback((result) => result.observe(db.faults));
  meter
    .createObservableCounter('longhand_storage_errors', {
      description: 'Requests for which the object store was not available.',
    })
    .addCallback((result) => result.observe(storage.faults()));
}

/** Counts how jobs go in this process, and tells their traces. */
export function jobNotes(meter: Meter, traces?: JobTraces): JobNotes {
  const accepted = meter.createCounter('longhand_jobs_accepted', {
    description: 'Jobs accepted, by protocol.',
  });
  const ended = meter.createCounter('longhand_jobs_ended', {
    description: 'Jobs that ended, by status and code of the failure.',
  });
  const steps = meter.createCounter('longhand_steps', {
    description: 'Steps of jobs, by what came of them.',
  });
  const stepSeconds = meter.createHistogram('longhand_step_seconds', {
    description: 'How long steps of jobs took; of recognise: one chunk.',
    advice: { explicitBucketBoundaries: [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1_000, 3_000] },
  });
  const audio = meter.createCounter('longhand_audio_seconds', { description: 'Audio that was recognised.' });
  return {
    accepted: (protocol) => accepted.add(1, { protocol }),
    ended(job) {
      ended.add(1, { status: job.transcription.status, code: job.errorCode ?? '' });
      traces?.ended(job);
    },
    step(note) {
      const { step, outcome, seconds } = note;
      steps.add(1, { step, outcome });
      stepSeconds.record(seconds, { step });
      traces?.step(note);
    },
    recognised: (seconds) => audio.add(seconds),
  };
}
