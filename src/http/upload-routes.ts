import { z } from 'zod';
import { dataOf, errorAnswers } from '../contract/envelope.ts';
import {
  abortMultipartBody,
  abortMultipartErrors,
  completedUpload,
  completeMultipartBody,
  completeMultipartErrors,
  prepareUploadBody,
  prepareUploadErrors,
  uploadTarget,
  uploadTargetOnWire,
} from '../contract/upload.ts';
import { abortUpload } from '../upload/abort-upload.ts';
import { completeUpload } from '../upload/complete-upload.ts';
import { type PrepareUploadDeps, prepareUpload } from '../upload/prepare-upload.ts';
import { accountOf } from './authentication.ts';
import type { PublicUrl } from './public-url.ts';
import type { Server } from './server.ts';

export interface UploadRoutesDeps extends PrepareUploadDeps {
  publicUrl: PublicUrl;
}

/** Registered behind requireApiKey. */
export function uploadRoutes(api: Server, deps: UploadRoutesDeps): void {
  prepareRoute(api, deps);
  completeRoute(api, deps);
  abortRoute(api, deps);
}

function prepareRoute(api: Server, deps: UploadRoutesDeps): void {
  api.route({
    method: 'POST',
    url: '/api/v1/uploads',
    schema: {
      operationId: 'prepareUpload',
      summary: 'Prepare a direct upload',
      description:
        'Checks account, type and size, and answers where to PUT the bytes: one URL, or one for each part.',
      tags: ['Uploads'],
      body: prepareUploadBody,
      response: { 200: dataOf(uploadTarget), ...errorAnswers(prepareUploadErrors) },
    },
    handler: async (request) => {
      const { filename, size, content_type, speaker_diarization } = request.body;
      const target = await prepareUpload(deps, {
        account: accountOf(request),
        filename,
        sizeBytes: size,
        contentType: content_type ?? null,
        speakerDiarization: speaker_diarization,
        serviceUrl: deps.publicUrl.forHost(request.headers.host),
      });
      return { data: uploadTargetOnWire(target) };
    },
  });
}

function completeRoute(api: Server, deps: UploadRoutesDeps): void {
  api.route({
    method: 'POST',
    url: '/api/v1/uploads/multipart',
    schema: {
      operationId: 'completeMultipartUpload',
      summary: 'Complete a multipart upload',
      description: 'Joins the uploaded parts. Only then can a transcription be created from the upload.',
      tags: ['Uploads'],
      body: completeMultipartBody,
      response: { 200: dataOf(completedUpload), ...errorAnswers(completeMultipartErrors) },
    },
    handler: async (request) => {
      const { key, storage, upload_id, parts } = request.body;
      const data = await completeUpload(deps, {
        account: accountOf(request),
        key,
        storage,
        uploadId: upload_id,
        parts: parts.map(({ part_number, etag }) => ({ partNumber: part_number, etag })),
      });
      return { data };
    },
  });
}

function abortRoute(api: Server, deps: UploadRoutesDeps): void {
  api.route({
    method: 'DELETE',
    url: '/api/v1/uploads/multipart',
    schema: {
      operationId: 'abortMultipartUpload',
      summary: 'Abort a multipart upload',
      description: 'Gives the upload up and erases its parts. May be repeated.',
      tags: ['Uploads'],
      body: abortMultipartBody,
      response: { 204: z.null().describe('Aborted'), ...errorAnswers(abortMultipartErrors) },
    },
    handler: async (request, reply) => {
      const { key, storage, upload_id } = request.body;
      await abortUpload(deps, { account: accountOf(request), key, storage, uploadId: upload_id });
      return reply.code(204).send(null);
    },
  });
}
