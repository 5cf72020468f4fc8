import { z } from 'zod';
import { documentedAs } from './documented-form.ts';
import { protectedErrors } from './envelope.ts';
import { ApiError, type ErrorCode } from './errors.ts';
import { exampleAnswers } from './example-answers.ts';
import { filename, filenameSentence } from './label.ts';
import { requestFaults } from './request-faults.ts';
import { requestText, urlCharactersMax } from './request-text.ts';
import { mimeType, mimeTypeSentence, objectKey, speakerDiarizationSentence, storageId } from './upload.ts';

const status = z.enum(['processing', 'completed', 'failed']);
const createdAt = z.iso.datetime().describe('UTC');
const label = z.string().describe('Uploaded filename, or a label derived from the link');

export const segment = z.object({
  start: z.number().describe('Seconds from the beginning'),
  end: z.number().describe('Seconds from the beginning'),
  text: z.string(),
  speaker: z
    .union([z.number(), z.string()])
    .optional()
    .describe('Who speaks; present when diarization is enabled and available'),
});

/** As the job's own stream gives it, which is our addition to the specification. */
export const heardSegment = segment.extend({
  language: z.string().optional().describe('In which it is written, for example `en`, where it is known'),
  confidence: z
    .number()
    .optional()
    .describe('How sure the engine is of the words, from 0 to 1, where it tells'),
});

export const createdTranscription = z
  .object({ id: z.uuid(), filename: label, status, created_at: createdAt })
  .meta({ id: 'CreatedTranscription', examples: [exampleAnswers.createdTranscription] });

export const transcription = z
  .object({
    id: z.uuid(),
    filename: label,
    status,
    created_at: createdAt,
    duration_seconds: z.number().nullable().describe('Measured length of the media'),
    text: z.string().nullable().describe('Full text when completed, else null'),
    segments: z.array(segment).nullable(),
    error: z.string().nullable().describe('What went wrong, when failed'),
  })
  .meta({ id: 'Transcription', examples: [exampleAnswers.transcription] });

export const transcriptionListItem = z
  .object({
    id: z.uuid(),
    filename: label,
    status,
    created_at: createdAt,
    duration_seconds: z.int().nullable(),
    text: z.null(),
    segments: z.null(),
    error: z.string().nullable(),
  })
  .meta({ id: 'TranscriptionListItem', examples: [exampleAnswers.transcriptionListItem] });

const createOrder = [
  'invalid_request',
  'invalid_source',
  'invalid_source_url',
  'invalid_upload',
  'pro_required',
  'daily_limit_reached',
  'upload_not_owned',
  'upload_not_found',
  'empty_upload',
  'file_too_large',
  'unsupported_type',
  'api_processing_unavailable',
  'queue_unavailable',
] as const satisfies ErrorCode[];

const sourceUrl = requestText(urlCharactersMax).meta({
  format: 'uri',
  description: 'Public HTTP(S) media URL, without credentials',
  examples: ['https://raw.githubusercontent.com/openai/whisper/main/tests/jfk.flac'],
});

export const uploadReference = z.object({
  filename,
  key: objectKey,
  size: z.int().positive().describe('Exact uploaded bytes'),
  storage: storageId.describe('From prepare'),
  content_type: mimeType,
});

const speakerDiarization = z.boolean().default(false).describe('Who speaks when; Pro only');

const fromLink = z
  .object({
    source_url: sourceUrl,
    upload: z.null().optional(),
    speaker_diarization: speakerDiarization,
  })
  .meta({ title: 'From a link' });

const fromUpload = z
  .object({
    upload: uploadReference.describe('A completed upload'),
    source_url: z.null().optional(),
    speaker_diarization: speakerDiarization,
  })
  .meta({ title: 'From an upload' });

/** Each form has null for the other's source, so no body fits both. */
const createTranscriptionForm = z.union([fromLink, fromUpload]).meta({
  title: 'Transcription to create',
  description: 'Exactly one of source_url and upload.',
  examples: [{ source_url: 'https://raw.githubusercontent.com/openai/whisper/main/tests/jfk.flac' }],
});

export const createTranscriptionBody = documentedAs(
  createTranscriptionForm,
  z
    .object({
      source_url: sourceUrl.nullish(),
      upload: uploadReference.nullish(),
      speaker_diarization: speakerDiarization,
    })
    .register(requestFaults, {
      order: createOrder,
      ofField([field]) {
        if (field === 'source_url') return 'invalid_source_url';
        if (field === 'upload') return 'invalid_upload';
        return 'invalid_request';
      },
      sentences: {
        upload: 'upload must be an object with filename, key, size and storage.',
        'upload.filename': `upload.filename ${filenameSentence}`,
        'upload.key': 'upload.key must be the key that prepare returned.',
        'upload.size':
          'upload.size must be the exact number of uploaded bytes, an integer greater than zero.',
        'upload.storage': 'upload.storage must be the storage that prepare returned.',
        'upload.content_type': `upload.content_type ${mimeTypeSentence}`,
        speaker_diarization: speakerDiarizationSentence,
      },
      ofWhole: ({ source_url, upload }) =>
        (source_url == null) === (upload == null) ? 'invalid_source' : undefined,
    }),
);

export const createTranscriptionHeaders = z
  .object({
    'idempotency-key': z
      .string()
      .regex(/^[\x21-\x7e]{1,255}$/)
      .optional()
      .meta({
        description:
          'Makes a repeated request safe: for 24 hours the same key with the same body gives the same job',
        examples: ['order-4711'],
      }),
  })
  .register(requestFaults, {
    order: ['invalid_request'],
    ofField: () => 'invalid_request',
    sentences: {
      'idempotency-key':
        'The header Idempotency-Key must have 1 to 255 visible ASCII characters, without spaces.',
    },
  });

export interface CreateTranscriptionCommand {
  source: { kind: 'url'; url: string } | ({ kind: 'upload' } & UploadReference);
  speakerDiarization: boolean;
}

/** A stored upload as its owner names it. */
export interface UploadReference {
  filename: string;
  key: string;
  storage: z.infer<typeof storageId>;
  sizeBytes: number;
  contentType: string | null;
}

export function createTranscriptionCommand(
  body: z.infer<typeof createTranscriptionBody>,
): CreateTranscriptionCommand {
  const source = sourceOf(body);
  if (!source) throw new ApiError('invalid_source');
  return { source, speakerDiarization: body.speaker_diarization };
}

/** Undefined for both and for neither. */
function sourceOf({
  source_url: url,
  upload,
}: z.infer<typeof createTranscriptionBody>): CreateTranscriptionCommand['source'] | undefined {
  if (url != null && upload == null) return { kind: 'url', url };
  if (url != null || upload == null) return undefined;
  const { filename, key, storage, size: sizeBytes, content_type: contentType = null } = upload;
  return { kind: 'upload', filename, key, storage, sizeBytes, contentType };
}

export const createTranscriptionErrors = [
  ...createOrder,
  'idempotency_key_reused',
  'request_too_large',
  ...protectedErrors,
] as const;

const listLimit = z.int().min(1).max(100).default(25);

const listTranscriptionsForm = z.object({
  limit: listLimit.describe('How many of the newest jobs, in decimal digits'),
});

export const listTranscriptionsQuery = documentedAs(
  listTranscriptionsForm,
  z
    .object({
      // Digits as one writes a number: what else `Number` reads (05, +5, 5.0, 1e1, " 5") is no integer here.
      limit: z.preprocess(
        (text) => (typeof text === 'string' && /^[1-9][0-9]{0,2}$/.test(text) ? Number(text) : text),
        listLimit,
      ),
    })
    .register(requestFaults, { order: ['invalid_limit'], ofField: () => 'invalid_limit' }),
);

interface CreatedFields {
  id: string;
  filename: string;
  status: z.infer<typeof status>;
  createdAt: Date;
}

/** What a list shows of a job; which fields there are depends on its status. */
export type TranscriptionFields = CreatedFields & { durationSeconds: number | null } & (
    | { status: 'processing' | 'completed' }
    | { status: 'failed'; error: string }
  );

export type TranscriptionResult = CreatedFields & { durationSeconds: number | null } & (
    | { status: 'processing' }
    | { status: 'completed'; text: string; segments: z.infer<typeof segment>[] }
    | { status: 'failed'; error: string }
  );

export function createdTranscriptionOnWire(job: CreatedFields) {
  return { id: job.id, filename: job.filename, status: job.status, created_at: job.createdAt.toISOString() };
}

export function transcriptionOnWire(job: TranscriptionResult): z.infer<typeof transcription> {
  return {
    ...createdTranscriptionOnWire(job),
    duration_seconds: job.durationSeconds === null ? null : Math.round(job.durationSeconds * 1000) / 1000,
    text: job.status === 'completed' ? job.text : null,
    segments: job.status === 'completed' ? job.segments.map(segmentOnWire) : null,
    error: job.status === 'failed' ? job.error : null,
  };
}

function segmentOnWire({ start, end, text, speaker }: z.infer<typeof segment>): z.infer<typeof segment> {
  return { start, end, text, ...(speaker !== undefined && { speaker }) };
}

export function transcriptionListItemOnWire(job: TranscriptionFields): z.infer<typeof transcriptionListItem> {
  return {
    ...createdTranscriptionOnWire(job),
    duration_seconds: wholeSeconds(job.durationSeconds),
    text: null,
    segments: null,
    error: job.status === 'failed' ? job.error : null,
  };
}

/** Lists and events give whole seconds. */
export function wholeSeconds(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds);
}
