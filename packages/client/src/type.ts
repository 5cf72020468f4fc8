/** What goes over the wire, field by field as the service documents it. A test keeps these in step with the service. */

export type TranscriptionStatus = 'processing' | 'completed' | 'failed';
export type StorageId = 's3' | 'local';
export type WebhookEventType = 'transcription.completed' | 'transcription.failed';

export interface Segment {
  start: number;
  end: number;
  text: string;
  speaker?: number | string | undefined;
}

export interface CreatedTranscription {
  id: string;
  filename: string;
  status: TranscriptionStatus;
  created_at: string;
}

export interface Transcription extends CreatedTranscription {
  duration_seconds: number | null;
  text: string | null;
  segments: Segment[] | null;
  error: string | null;
}

export interface TranscriptionListItem extends CreatedTranscription {
  duration_seconds: number | null;
  text: null;
  segments: null;
  error: string | null;
}

/** A transcription that has its text. */
export interface CompletedTranscription extends Transcription {
  status: 'completed';
  text: string;
  segments: Segment[];
  error: null;
}

export interface UploadReference {
  filename: string;
  key: string;
  size: number;
  storage: StorageId;
  content_type?: string | null | undefined;
}

export type CreateTranscription = { speaker_diarization?: boolean | undefined } & (
  | { source_url: string }
  | { upload: UploadReference }
);

export interface PrepareUpload {
  filename: string;
  size: number;
  content_type?: string | null | undefined;
  speaker_diarization?: boolean | undefined;
}

export interface SingleTarget {
  type: 'single';
  url: string;
  method: 'PUT';
  headers: Record<string, string>;
}

export interface MultipartTarget {
  type: 'multipart';
  parts: { part_number: number; url: string }[];
  part_size: number;
  upload_id: string;
}

export interface UploadTarget {
  key: string;
  storage: StorageId;
  content_type: string;
  upload: SingleTarget | MultipartTarget;
}

/** Which parts of an unfinished upload are stored, and where the others go. An addition of Longhand to the specification. */
export interface MultipartState {
  part_size: number;
  size: number;
  uploaded: { part_number: number; etag: string; size: number }[];
  missing: { part_number: number; url: string }[];
}

export interface TranscriptionProgress {
  status: TranscriptionStatus;
  stage: 'queued' | 'fetching' | 'decoding' | 'recognising' | 'finishing' | 'done';
  percent: number;
  audio_seconds_done: number | null;
  audio_seconds_total: number | null;
  seconds_left: number | null;
}

export interface TranscriptionText {
  sequence: number;
  text: string;
  segments: Segment[];
}

export type TranscriptionEvent =
  | { type: 'progress'; data: TranscriptionProgress }
  | { type: 'text'; data: TranscriptionText }
  | { type: 'completed' | 'failed'; data: Transcription };

interface SubscriptionFields {
  id: string;
  url: string;
  events: WebhookEventType[];
  status: 'active' | 'disabled';
  created_at: string;
  disabled_at: string | null;
}

/** In lists the url is only the origin and an ellipsis. */
export type WebhookSubscription = SubscriptionFields;
/** The signing secret is given here and never again. */
export type CreatedWebhookSubscription = SubscriptionFields & { signing_secret: string };

export interface WebhookEvent {
  id: string;
  type: WebhookEventType;
  created_at: string;
  data: {
    id: string;
    filename: string;
    status: 'completed' | 'failed';
    duration_seconds: number | null;
    resource_url: string;
  };
}
