import type { Step } from './steps.ts';

/** What is counted of jobs, for whoever watches the service. */
export interface JobNotes {
  accepted(door: string): void;
  ended(status: 'completed' | 'failed', code: string | undefined): void;
  step(step: Step, outcome: 'done' | 'failed' | 'given back', seconds: number): void;
  recognised(audioSeconds: number): void;
}
