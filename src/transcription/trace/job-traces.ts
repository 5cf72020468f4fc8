import type { Attributes } from '@opentelemetry/api';
import type { Queryable } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/telemetry/telemetry.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import type { JustEnded } from '../transcription-store.ts';
import type { StepNote } from './job-notes.ts';
import { traceStore } from './trace-store.ts';

export interface JobTracesDeps {
  db: Queryable;
  logger: Logger;
  traces: Traces;
}

interface Told {
  startedAtMs: number;
  attributes: Attributes;
  isFailure: boolean;
}

/** More are not looked up: their spans are missing, nothing else is. */
const lookupsMax = 256;

/** Spans of what is done for a job, in the trace that its row names. Each is recorded when it is over. */
export class JobTraces {
  readonly #deps: JobTracesDeps;
  readonly #lookups = new Set<Promise<void>>();

  constructor(deps: JobTracesDeps) {
    this.#deps = deps;
  }

  step({ step, transcriptionId, index, outcome, startedAtMs }: StepNote): void {
    const attributes = {
      'longhand.job.id': transcriptionId,
      'longhand.outcome': outcome,
      ...(index === undefined ? {} : { 'longhand.chunk': index }),
    };
    const told = { startedAtMs, attributes, isFailure: outcome === 'failed' };
    this.#tell(step, told, (db) => traceStore.ofJob(db, transcriptionId));
  }

  ended({ transcription, errorCode }: JustEnded): void {
    const { id, status, createdAt, durationSeconds } = transcription;
    const attributes = {
      'longhand.job.id': id,
      'longhand.status': status,
      ...(errorCode === null ? {} : { 'longhand.error.code': errorCode }),
      ...(durationSeconds === null ? {} : { 'longhand.audio.seconds': durationSeconds }),
    };
    const told = { startedAtMs: createdAt.getTime(), attributes, isFailure: status === 'failed' };
    this.#tell('job', told, (db) => traceStore.ofJob(db, id));
  }

  delivered(delivery: { eventId: string; attempt: number; state: string; startedAtMs: number }): void {
    const { eventId, attempt, state, startedAtMs } = delivery;
    const attributes = {
      'longhand.event.id': eventId,
      'longhand.attempt': attempt,
      'longhand.outcome': state,
    };
    const told = { startedAtMs, attributes, isFailure: state !== 'delivered' };
    this.#tell('deliver', told, (db) => traceStore.ofEvent(db, eventId));
  }

  async close(): Promise<void> {
    await Promise.all(this.#lookups);
    await this.#deps.traces.close();
  }

  #tell(name: string, told: Told, parentOf: (db: Queryable) => Promise<string | undefined>): void {
    if (this.#lookups.size >= lookupsMax) return;
    const { startedAtMs, attributes, isFailure } = told;
    const lookup = parentOf(this.#deps.db)
      .then((traceParent) => {
        // A job from before traces were sent, or whose caller does not sample.
        if (traceParent === undefined) return;
        const span = { traceParent, kind: 'CONSUMER' as const, startedAtMs, attributes };
        this.#deps.traces.begin(name, span).end({ isFailure });
      })
      .catch((error: unknown) => this.#deps.logger.debug({ err: error }, 'a span could not be placed'))
      .finally(() => this.#lookups.delete(lookup));
    this.#lookups.add(lookup);
  }
}
