import { z } from 'zod';
import { protectedErrors } from './envelope.ts';
import type { ErrorCode } from './errors.ts';
import { filename } from './label.ts';
import { requestFaults } from './request-faults.ts';

const prepareOrder = [
  'invalid_upload',
  'pro_required',
  'daily_limit_reached',
  'file_too_large',
  'unsupported_type',
  'api_uploads_unavailable',
] as const satisfies ErrorCode[];

export const prepareUploadBody = z
  .object({
    filename,
    size: z.int().positive().describe('Exact bytes'),
    content_type: z.string().max(255).nullish().describe('MIME type when known'),
    speaker_diarization: z
      .boolean()
      .default(false)
      .describe('Checks ahead of time that the plan allows speaker diarization'),
  })
  .meta({ id: 'PrepareUpload' })
  .register(requestFaults, { order: prepareOrder, ofField: () => 'invalid_upload' });

export interface PrepareUploadCommand {
  filename: string;
  sizeBytes: number;
  contentType: string | null;
  speakerDiarization: boolean;
}

export function prepareUploadCommand(body: z.infer<typeof prepareUploadBody>): PrepareUploadCommand {
  const { filename, size: sizeBytes, content_type, speaker_diarization: speakerDiarization } = body;
  return { filename, sizeBytes, contentType: content_type ?? null, speakerDiarization };
}

export const prepareUploadErrors = [...prepareOrder, 'request_too_large', ...protectedErrors] as const;

const storage = z.enum(['s3', 'local']).describe('Return it unchanged in later requests');
const key = z.string().describe('Account-scoped object key');

export const uploadTarget = z
  .object({
    key,
    storage,
    content_type: z.string().describe('Validated media MIME type'),
    upload: z.discriminatedUnion('type', [
      z.object({
        type: z.literal('single'),
        url: z.string().describe('Presigned PUT URL; lives 15 minutes'),
        method: z.literal('PUT'),
        headers: z.record(z.string(), z.string()).describe('Copy onto the storage request'),
      }),
      z.object({
        type: z.literal('multipart'),
        parts: z.array(
          z.object({
            part_number: z.int().positive(),
            url: z.string().describe('Presigned PUT URL; lives four hours'),
          }),
        ),
        part_size: z.int().positive().describe('Bytes of every part except the last'),
        upload_id: z.string().describe('Needed to complete or abort'),
      }),
    ]),
  })
  .meta({ id: 'UploadTarget' });

export interface UploadTargetFields {
  key: string;
  storage: 's3' | 'local';
  contentType: string;
  upload:
    | { type: 'single'; url: string; headers: Record<string, string> }
    | {
        type: 'multipart';
        uploadId: string;
        partSizeBytes: number;
        parts: { partNumber: number; url: string }[];
      };
}

/** `serviceUrl`: where the caller reaches the service, the base of URLs that lead to the service's own storage. */
export function uploadTargetOnWire(
  { key, storage, contentType, upload }: UploadTargetFields,
  serviceUrl: string,
): z.infer<typeof uploadTarget> {
  const whole = (url: string) => (url.startsWith('/') ? serviceUrl + url : url);
  return { key, storage, content_type: contentType, upload: transferOnWire(upload, whole) };
}

function transferOnWire(
  upload: UploadTargetFields['upload'],
  whole: (url: string) => string,
): z.infer<typeof uploadTarget>['upload'] {
  if (upload.type === 'single') {
    return { type: 'single', url: whole(upload.url), method: 'PUT', headers: upload.headers };
  }
  return {
    type: 'multipart',
    parts: upload.parts.map(({ partNumber, url }) => ({ part_number: partNumber, url: whole(url) })),
    part_size: upload.partSizeBytes,
    upload_id: upload.uploadId,
  };
}

/** Identifiers that prepare gave out: one line of visible characters. */
const handle = z
  .string()
  .min(1)
  .max(2048)
  .regex(/^[\x21-\x7e]+$/);

const session = {
  key: handle.describe('From prepare'),
  storage: handle.describe('From prepare'),
  upload_id: handle.describe('From prepare'),
};

const partList = z.array(
  z.object({
    part_number: z.int().positive(),
    etag: z.string().min(1).max(256).describe("The ETag header of that part's upload, unmodified"),
  }),
);

const completeOrder = ['invalid_multipart_upload', 'invalid_multipart_parts'] as const satisfies ErrorCode[];

export const completeMultipartBody = z
  .object({
    ...session,
    // A malformed list counts as an empty one, which no upload accepts: whose upload it is must be judged first.
    parts: z.preprocess((parts) => (partList.safeParse(parts).success ? parts : []), partList),
  })
  .meta({ id: 'CompleteMultipartUpload' })
  .register(requestFaults, { order: completeOrder, ofField: () => 'invalid_multipart_upload' });

/** A multipart upload as its owner names it. */
export interface MultipartReference {
  key: string;
  storage: string;
  uploadId: string;
}

export interface CompleteUploadCommand extends MultipartReference {
  parts: { partNumber: number; etag: string }[];
}

export function completeUploadCommand(body: z.infer<typeof completeMultipartBody>): CompleteUploadCommand {
  const parts = body.parts.map(({ part_number: partNumber, etag }) => ({ partNumber, etag }));
  return { ...multipartReference(body), parts };
}

export function multipartReference(body: z.infer<typeof abortMultipartBody>): MultipartReference {
  return { key: body.key, storage: body.storage, uploadId: body.upload_id };
}

export const completeMultipartErrors = [
  ...completeOrder,
  'api_uploads_unavailable',
  'request_too_large',
  ...protectedErrors,
] as const;

export const completedUpload = z.object({ key, storage }).meta({ id: 'CompletedUpload' });

export const abortMultipartBody = z
  .object(session)
  .meta({ id: 'AbortMultipartUpload' })
  .register(requestFaults, {
    order: ['invalid_multipart_upload'],
    ofField: () => 'invalid_multipart_upload',
  });

export const abortMultipartErrors = [
  'invalid_multipart_upload',
  'api_uploads_unavailable',
  'request_too_large',
  ...protectedErrors,
] as const;
