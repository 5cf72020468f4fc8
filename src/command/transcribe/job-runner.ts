/** Who turns recordings into transcripts for a command: this machine or a server. */
import type { ChineseScript } from '../../contract/language.ts';
import type { SpeakerCount } from '../../speech/speaker/cluster/speaker-clusters.ts';
import type { TranscriptWord } from '../../transcript/transcript-word.ts';
import type { CompletedTranscription } from '../../transcription/transcription.ts';
import type { ShownProgress } from './batch-progress.ts';
import type { Recording } from './recordings.ts';

export interface JobOptions {
  /** Null: found out. */
  language: string | null;
  /** Of Chinese text; Simplified unless told. */
  chineseScript?: ChineseScript | undefined;
  speakers: boolean;
  speakerCount: SpeakerCount | null;
  /** Names and terms that may be spoken. */
  keywords: readonly string[];
  /** Numbers stay in words where they were recognised so. */
  verbatim: boolean;
  /** Of a job on this machine, so that a process that was killed finds it again; by default each run is a new one. */
  jobId?: string;
}

export interface FinishedJob extends Pick<CompletedTranscription, 'durationSeconds' | 'text' | 'segments'> {
  words: TranscriptWord[];
  /** In which most of it is spoken; null or absent where that is not known. */
  language?: string | null;
}

/** Whoever waits for a job: told how far it is, and able to give it up. */
export interface Follower {
  signal: AbortSignal;
  onProgress(progress: ShownProgress): void;
  /** Each finished part of the text, in order. */
  onText?(text: string): void;
}

export interface JobRunner {
  /** Throws a CommandFailure with the sentence of a job that failed. */
  run(recording: Recording, options: JobOptions, follower: Follower): Promise<FinishedJob>;
  close(): Promise<void>;
}
