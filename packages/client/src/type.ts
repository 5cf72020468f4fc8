// What goes over the wire, field by field as the service documents it. A test keeps these in step with the service.

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

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

export interface TranscriptionListItem extends Transcription {
  text: null;
  segments: null;
}

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

export interface PartTarget {
  part_number: number;
  url: string;
}

export interface MultipartTarget {
  type: 'multipart';
  parts: PartTarget[];
  part_size: number;
  upload_id: string;
}

export interface UploadTarget {
  key: string;
  storage: StorageId;
  content_type: string;
  upload: SingleTarget | MultipartTarget;
}

export interface MultipartState {
  part_size: number;
  size: number;
  uploaded: { part_number: number; etag: string; size: number }[];
  missing: PartTarget[];
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
  segments: (Segment & { language?: string | undefined; confidence?: number | undefined })[];
}

export type TranscriptionEvent =
  | { type: 'progress'; data: TranscriptionProgress }
  | { type: 'text'; data: TranscriptionText }
  | { type: 'completed' | 'failed'; data: Transcription };

export interface WebhookSubscription {
  id: string;
  url: string;
  events: WebhookEventType[];
  status: 'active' | 'disabled';
  created_at: string;
  disabled_at: string | null;
}

// Its secret is given only here.
export type CreatedWebhookSubscription = WebhookSubscription & { signing_secret: string };

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
