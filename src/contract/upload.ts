import { z } from 'zod';
import { documentedAs } from './documented-form.ts';
import { protectedErrors } from './envelope.ts';
import type { ErrorCode } from './errors.ts';
import { exampleAnswers } from './example-answers.ts';
import { filename, filenameSentence } from './label.ts';
import { requestFaults } from './request-faults.ts';
import { requestText } from './request-text.ts';

const prepareOrder = [
  'invalid_upload',
  'pro_required',
  'daily_limit_reached',
  'file_too_large',
  'unsupported_type',
  'api_uploads_unavailable',
] as const satisfies ErrorCode[];

/** Identifiers that prepare gave out: one line of visible characters. An object key is never longer than S3 allows. */
const handle = z
  .string()
  .min(1)
  .regex(/^[\x21-\x7e]+$/);
export const objectKey = handle.max(1_024).describe('From prepare');

export const storageId = z.enum(['s3', 'local']);

export const mimeType = requestText(255)
  .nullish()
  .meta({ description: 'MIME type when known', examples: ['audio/mpeg'] });
export const mimeTypeSentence = 'must be a MIME type of at most 255 characters, or null.';

export const speakerDiarizationSentence = 'speaker_diarization must be true or false.';

const prepareUploadForm = z
  .object({
    filename,
    size: z
      .int()
      .positive()
      .meta({ description: 'Exact bytes', examples: [1_048_576] }),
    content_type: mimeType,
    speaker_diarization: z
      .boolean()
      .default(false)
      .describe('Checks ahead of time that the plan allows speaker diarization'),
  })
  .meta({
    title: 'Upload to prepare',
    examples: [{ filename: 'meeting.mp3', size: 1_048_576, content_type: 'audio/mpeg' }],
  });

/** A number beyond what JSON carries exactly is a size like any other: too large, but not malformed. */
const byteSize = z.preprocess(
  (size) => (typeof size === 'number' ? Math.min(size, Number.MAX_SAFE_INTEGER) : size),
  prepareUploadForm.shape.size,
);

export const prepareUploadBody = documentedAs(
  prepareUploadForm,
  prepareUploadForm.extend({ size: byteSize }).register(requestFaults, {
    order: prepareOrder,
    ofField: () => 'invalid_upload',
    sentences: {
      filename: `filename ${filenameSentence}`,
      size: 'size must be the exact number of bytes, an integer greater than zero.',
      content_type: `content_type ${mimeTypeSentence}`,
      speaker_diarization: speakerDiarizationSentence,
    },
  }),
);

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

const storage = storageId.describe('Return it unchanged in later requests');
const key = z.string().describe('Account-scoped object key');

export const uploadTarget = z
  .object({
    key,
    storage,
    content_type: z.string().describe('Validated media MIME type'),
    upload: z.discriminatedUnion('type', [
      z.object({
        type: z.literal('single'),
        url: z.string().meta({ format: 'uri', description: 'Presigned PUT URL; lives 15 minutes' }),
        method: z.literal('PUT'),
        headers: z.record(z.string(), z.string()).describe('Copy onto the storage request'),
      }),
      z.object({
        type: z.literal('multipart'),
        parts: z.array(
          z.object({
            part_number: z.int().positive(),
            url: z.string().meta({ format: 'uri', description: 'Presigned PUT URL; lives four hours' }),
          }),
        ),
        part_size: z.int().positive().describe('Bytes of every part except the last'),
        upload_id: z.string().describe('Needed to complete or abort'),
      }),
    ]),
  })
  .meta({ id: 'UploadTarget', examples: [exampleAnswers.uploadTarget] });

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
  const whole = (url: string) => wholeUrl(url, serviceUrl);
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

export const uploadId = handle.max(2_048).describe('From prepare');

const multipart = { key: objectKey, storage: storageId.describe('From prepare'), upload_id: uploadId };

const multipartSentences = {
  key: 'key must be the key that prepare returned.',
  storage: 'storage must be the storage that prepare returned.',
  upload_id: 'upload_id must be the upload_id that prepare returned.',
};

export const partList = z.array(
  z.object({
    part_number: z.int().positive(),
    etag: requestText(256).min(1).describe("The ETag header of that part's upload, unmodified"),
  }),
);

const completeOrder = ['invalid_multipart_upload', 'invalid_multipart_parts'] as const satisfies ErrorCode[];

const completeMultipartForm = z
  .object({ ...multipart, parts: partList.describe('Every part once, in the order of part_number') })
  .meta({ title: 'Upload to complete' });

export const completeMultipartBody = documentedAs(
  completeMultipartForm,
  z
    .object({
      ...multipart,
      // A malformed list counts as an empty one, which no upload accepts: whose upload it is must be judged first.
      parts: z.preprocess((parts) => (partList.safeParse(parts).success ? parts : []), partList),
    })
    .register(requestFaults, {
      order: completeOrder,
      ofField: () => 'invalid_multipart_upload',
      sentences: multipartSentences,
    }),
);

/** A multipart upload as its owner names it. */
export interface MultipartReference {
  key: string;
  storage: z.infer<typeof storageId>;
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

export const completedUpload = z
  .object({ key, storage })
  .meta({ id: 'CompletedUpload', examples: [exampleAnswers.completedUpload] });

export const abortMultipartBody = z
  .object(multipart)
  .meta({ title: 'Upload to abort' })
  .register(requestFaults, {
    order: ['invalid_multipart_upload'],
    ofField: () => 'invalid_multipart_upload',
    sentences: multipartSentences,
  });

export const abortMultipartErrors = [
  'invalid_multipart_upload',
  'api_uploads_unavailable',
  'request_too_large',
  ...protectedErrors,
] as const;

/** The same three values as complete takes, as a query. */
export const multipartStateQuery = z.object(multipart).register(requestFaults, {
  order: ['invalid_multipart_upload'],
  ofField: () => 'invalid_multipart_upload',
});

export const multipartStateErrors = [
  'invalid_multipart_upload',
  'api_uploads_unavailable',
  ...protectedErrors,
] as const;

export const multipartState = z
  .object({
    size: z.int().positive(),
    part_size: z.int().positive().describe('Bytes of every part except the last'),
    uploaded: z
      .array(z.object({ part_number: z.int().positive(), etag: z.string(), size: z.int().positive() }))
      .describe('Parts that are stored, with the ETag that complete wants'),
    missing: z
      .array(z.object({ part_number: z.int().positive(), url: z.url() }))
      .describe('Parts still to be sent, with fresh presigned PUT URLs'),
  })
  .meta({ id: 'MultipartUploadState', examples: [exampleAnswers.multipartState] });

export interface MultipartStateFields {
  sizeBytes: number;
  partSizeBytes: number;
  uploaded: readonly { partNumber: number; etag: string; sizeBytes: number }[];
  missing: readonly { partNumber: number; url: string }[];
}

export function multipartStateOnWire(
  state: MultipartStateFields,
  serviceUrl: string,
): z.infer<typeof multipartState> {
  return {
    size: state.sizeBytes,
    part_size: state.partSizeBytes,
    uploaded: state.uploaded.map(({ partNumber, etag, sizeBytes }) => ({
      part_number: partNumber,
      etag,
      size: sizeBytes,
    })),
    missing: state.missing.map(({ partNumber, url }) => ({
      part_number: partNumber,
      url: wholeUrl(url, serviceUrl),
    })),
  };
}

/** URLs of the service's own storage are paths until it is known where the caller reaches the service. */
function wholeUrl(url: string, serviceUrl: string): string {
  return url.startsWith('/') ? serviceUrl + url : url;
}
