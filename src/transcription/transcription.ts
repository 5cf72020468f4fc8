import type { Plan } from '../account/plan.ts';
import type { SpeakerCount } from '../speech/speaker/cluster/speaker-clusters.ts';
import type { StorageId } from '../storage/object-store.ts';
import type { Segment } from '../transcript/transcript.ts';

export type TranscriptionStatus = 'processing' | 'completed' | 'failed';

export type Source =
  | { kind: 'upload'; storage: StorageId; key: string; sizeBytes: number }
  | { kind: 'url'; url: string };

/** What the job was asked to do, and the limits of its account at that time; the same on every repetition. */
export interface TranscriptionOptions {
  speakerDiarization: boolean;
  /** How many people speak, where somebody knows; jobs from before this was asked do not have it. */
  speakerCount?: SpeakerCount | null;
  /** A language the caller is sure of, such as `en`; null when it is to be found out. */
  language: string | null;
  /** Which recognizer; `auto` picks by language. */
  engine: string;
  fileBytesMax: number;
  mediaSecondsMax: number;
}

/** Where the decoded audio of a job is kept while it is recognised. */
export interface AudioObject {
  storage: StorageId;
  key: string;
}

export interface Transcription {
  id: string;
  accountId: string;
  filename: string;
  status: TranscriptionStatus;
  source: Source;
  options: TranscriptionOptions;
  createdAt: Date;
  durationSeconds: number | null;
  audio: AudioObject | null;
  chunksTotal: number | null;
  chunksLeft: number | null;
  text: string | null;
  segments: Segment[] | null;
  error: string | null;
}

export function optionsFor(
  plan: Plan,
  wanted: { speakerDiarization: boolean; speakerCount?: SpeakerCount | null; language?: string | null },
): TranscriptionOptions {
  return {
    speakerDiarization: wanted.speakerDiarization,
    speakerCount: wanted.speakerCount ?? null,
    language: wanted.language ?? null,
    engine: 'auto',
    fileBytesMax: plan.fileBytesMax,
    mediaSecondsMax: plan.mediaSecondsMax,
  };
}

/** Why a job ended as failed: a sentence for its owner and a stable code for logs. */
export interface Failure {
  code: string;
  sentence: string;
  /** For the log only: what the other side or the decoder said. */
  reason?: string;
  /** Our own fault: the job is given back to the account's allowance. */
  isOurs: boolean;
}

export const internalFailure: Failure = {
  code: 'internal',
  sentence:
    'Something went wrong on our side while this file was processed. It does not count against the daily allowance; please try again.',
  isOurs: true,
};
