import { dataOf, errorAnswers } from '../contract/envelope.ts';
import {
  prepareUploadBody,
  prepareUploadErrors,
  uploadTarget,
  uploadTargetOnWire,
} from '../contract/upload.ts';
import { type PrepareUploadDeps, prepareUpload } from '../upload/prepare-upload.ts';
import { accountOf } from './authentication.ts';
import type { Server } from './server.ts';

export type UploadRoutesDeps = PrepareUploadDeps;

/** Registered behind requireApiKey. */
export function uploadRoutes(api: Server, deps: UploadRoutesDeps): void {
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
        speakerDiarization: speaker_diarization ?? false,
      });
      return { data: uploadTargetOnWire(target) };
    },
  });
}
