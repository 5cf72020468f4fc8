import type { Plan } from '../account/plan.ts';
import type { ChineseScript } from '../contract/language.ts';
import type { SpeakerCount } from '../speech/speaker/cluster/speaker-clusters.ts';
import type { StorageId } from '../storage/object-store.ts';
import type { Segment } from '../transcript/segment.ts';

export type Source = ({ kind: 'upload' } & MediaObject) | { kind: 'url'; url: string };

export type Task = 'transcribe' | 'translate';

/** What the job was asked to do, and the limits of its account at that time; the same on every repetition. */
export interface TranscriptionOptions {
  speakerDiarization: boolean;
  /** How many people speak, where somebody knows; jobs from before this was asked do not have it. */
  speakerCount?: SpeakerCount | null;
  /** A language the caller is sure of, such as `en`; null when it is to be found out. */
  language: string | null;
  /** The language was found out, not given: stretches in others are recognised in theirs. */
  languageIsFound?: boolean;
  /** `translate`: the text is English, whatever is spoken. Jobs from before this could be asked do not have it. */
  task?: Task;
  /** Names and terms that may be spoken. */
  keywords?: readonly string[];
  /** What the caller says about the recording; for engines elsewhere. */
  prompt?: string;
  /** Of Chinese text; Simplified unless told. */
  chineseScript?: ChineseScript;
  /** Numbers stay in words where they were recognised so. */
  verbatim?: boolean;
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

/** With the copy of its beginning that was recognised before the rest was there. */
export interface DecodedAudio extends AudioObject {
  opening?: AudioObject;
}

/** The media of a job, before it is decoded. */
export interface MediaObject extends AudioObject {
  sizeBytes: number;
  /** Of the bytes that were verified; uploads of jobs from before this was kept do not have it. */
  etag?: string;
}

/** What the owner of a completed job should know about it. `truncated`: the recording was cut off, its end is missing. */
export type Note = 'truncated';

/** What a job that is being processed does, in the order of these. */
export type Stage = 'queued' | 'fetching' | 'decoding' | 'recognising' | 'finishing';

interface TranscriptionFields {
  id: string;
  accountId: string;
  filename: string;
  source: Source;
  options: TranscriptionOptions;
  createdAt: Date;
  /** When its text was published or it ended; while it runs, when it last came further. */
  updatedAt: Date;
  durationSeconds: number | null;
  /** Only its beginning, while the rest is still decoded. */
  audio: DecodedAudio | null;
}

export interface ProcessingTranscription extends TranscriptionFields {
  status: 'processing';
  stage: Stage;
  /** Null until the recording is cut into chunks. */
  chunksTotal: number | null;
}

export interface CompletedTranscription extends TranscriptionFields {
  status: 'completed';
  text: string;
  segments: Segment[];
}

export interface FailedTranscription extends TranscriptionFields {
  status: 'failed';
  error: string;
  /** Stable, for programs; jobs that ended before it was kept do not have it. */
  errorCode: string | null;
}

export type EndedTranscription = CompletedTranscription | FailedTranscription;
export type Transcription = ProcessingTranscription | EndedTranscription;
/** As lists show it: without the text. */
export type TranscriptionSummary =
  | ProcessingTranscription
  | Omit<CompletedTranscription, 'text' | 'segments'>
  | FailedTranscription;

/** What the caller says about the text, for those who recognise it. */
export function expectationsOf({ keywords, prompt, verbatim, chineseScript }: TranscriptionOptions) {
  return {
    ...(keywords && { keywords }),
    ...(prompt !== undefined && { prompt }),
    ...(verbatim && { verbatim }),
    ...(chineseScript && { chineseScript }),
  };
}

export function optionsFor(
  plan: Plan,
  wanted: {
    speakerDiarization: boolean;
    speakerCount?: SpeakerCount | null;
    language?: string | null;
    task?: Task;
    keywords?: readonly string[] | undefined;
    prompt?: string | undefined;
    verbatim?: boolean | undefined;
    chineseScript?: ChineseScript | undefined;
  },
): TranscriptionOptions {
  return {
    speakerDiarization: wanted.speakerDiarization,
    speakerCount: wanted.speakerCount ?? null,
    language: wanted.language ?? null,
    task: wanted.task ?? 'transcribe',
    ...(wanted.keywords && wanted.keywords.length > 0 && { keywords: wanted.keywords }),
    ...(wanted.prompt && { prompt: wanted.prompt }),
    ...(wanted.verbatim && { verbatim: true }),
    ...(wanted.chineseScript && { chineseScript: wanted.chineseScript }),
    engine: 'auto',
    fileBytesMax: plan.fileBytesMax,
    mediaSecondsMax: plan.mediaSecondsMax,
  };
}
