/** A job as it lies in its row, and as the parts of the service know it. */
import type { Segment } from '../transcript/segment.ts';
import type {
  AudioObject,
  CompletedTranscription,
  FailedTranscription,
  ProcessingTranscription,
  Source,
  Stage,
  Transcription,
  TranscriptionOptions,
  TranscriptionSummary,
} from './transcription.ts';

export interface SummaryRow {
  id: string;
  account_id: string;
  filename: string;
  status: Transcription['status'];
  stage: Stage;
  source: Source;
  options: TranscriptionOptions;
  created_at: Date;
  updated_at: Date;
  duration_seconds: number | null;
  audio: AudioObject | null;
  chunks_total: number | null;
  error: string | null;
  error_code: string | null;
}

export interface TranscriptionRow extends SummaryRow {
  text: string | null;
  segments: Segment[] | null;
}

export const summaryColumns = `id, account_id, filename, status, stage, source, options, created_at, duration_seconds, audio, chunks_total, error, error_code,
  coalesce(published_at, finished_at, greatest(stage_at, progressed_at)) as updated_at`;
/** What the owner published instead of the machine's text, if so. */
export const columns = `${summaryColumns}, coalesce(published_text, text) as text,
  coalesce(published_segments, segments) as segments`;

function fieldsOf(row: SummaryRow) {
  return {
    id: row.id,
    accountId: row.account_id,
    filename: row.filename,
    source: row.source,
    options: row.options,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    durationSeconds: row.duration_seconds,
    audio: row.audio,
  };
}

export function processingOf(row: SummaryRow): ProcessingTranscription {
  return { ...fieldsOf(row), status: 'processing', stage: row.stage, chunksTotal: row.chunks_total };
}

export function completedOf(row: TranscriptionRow): CompletedTranscription {
  return { ...fieldsOf(row), status: 'completed', text: row.text ?? '', segments: row.segments ?? [] };
}

export function failedOf(row: SummaryRow): FailedTranscription {
  return { ...fieldsOf(row), status: 'failed', error: row.error ?? '', errorCode: row.error_code };
}

export function transcriptionOf(row: TranscriptionRow): Transcription {
  return row.status === 'completed' ? completedOf(row) : withoutText(row);
}

export function summaryOf(row: SummaryRow): TranscriptionSummary {
  return row.status === 'completed' ? { ...fieldsOf(row), status: 'completed' } : withoutText(row);
}

function withoutText(row: SummaryRow): ProcessingTranscription | FailedTranscription {
  return row.status === 'failed' ? failedOf(row) : processingOf(row);
}
