import type { Step } from '../step/steps.ts';
import type { JustEnded } from '../transcription-store.ts';

/** One try of one step of a job. */
export interface StepNote {
  step: Step;
  transcriptionId: string;
  /** Of a chunk. */
  index: number | undefined;
  outcome: 'done' | 'failed' | 'given back';
  startedAtMs: number;
  seconds: number;
}

/** What is recorded of jobs, for metrics and logs. */
export interface JobNotes {
  accepted(protocol: string): void;
  ended(job: JustEnded): void;
  step(note: StepNote): void;
  recognised(audioSeconds: number): void;
}
