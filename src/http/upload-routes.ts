import { z } from 'zod';
import { dataOf, errorAnswers } from '../contract/envelope.ts';
import {
  abortMultipartBody,
  abortMultipartErrors,
  completedUpload,
  completeMultipartBody,
  completeMultipartErrors,
  completeUploadCommand,
  multipartReference,
  multipartStateErrors,
  multipartStateOnWire,
  multipartStateQuery,
  multipartState as multipartStateSchema,
  prepareUploadBody,
  prepareUploadCommand,
  prepareUploadErrors,
  uploadTarget,
  uploadTargetOnWire,
} from '../contract/upload.ts';
import { abortUpload } from '../upload/abort-upload.ts';
import { completeUpload } from '../upload/complete-upload.ts';
import { multipartState } from '../upload/multipart-state.ts';
import { type PrepareUploadDeps, prepareUpload } from '../upload/prepare-upload.ts';
import { principalOf } from './authentication.ts';
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
  stateRoute(api, deps);
}

function prepareRoute(api: Server, deps: UploadRoutesDeps): void {
  api.route({
    method: 'POST',
    url: '/api/v1/uploads',
    config: { unavailableCode: 'api_uploads_unavailable' },
    schema: {
      operationId: 'prepareUpload',
      summary: 'Prepare a direct upload',
      description:
        'Checks account, type and size, and answers where to PUT the bytes: one URL, or one for each part.',
      tags: ['Uploads'],
      body: prepareUploadBody,
      response: { 200: dataOf(uploadTarget, 'Where to PUT the bytes'), ...errorAnswers(prepareUploadErrors) },
    },
    handler: async (request) => {
      const target = await prepareUpload(deps, principalOf(request), prepareUploadCommand(request.body));
      return { data: uploadTargetOnWire(target, deps.publicUrl.forHost(request.headers.host)) };
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
      response: {
        200: dataOf(completedUpload, 'The object is stored; a transcription can be created from it'),
        ...errorAnswers(completeMultipartErrors),
      },
    },
    handler: async (request) => {
      const command = completeUploadCommand(request.body);
      return { data: await completeUpload(deps, principalOf(request), command) };
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
      response: {
        204: z.null().describe('The upload is given up and its parts are erased'),
        ...errorAnswers(abortMultipartErrors),
      },
    },
    handler: async (request, reply) => {
      await abortUpload(deps, principalOf(request), multipartReference(request.body));
      return reply.code(204).send(null);
    },
  });
}

function stateRoute(api: Server, deps: UploadRoutesDeps): void {
  api.route({
    method: 'GET',
    url: '/api/v1/uploads/multipart',
    schema: {
      operationId: 'getMultipartUpload',
      summary: 'Which parts of a multipart upload are stored',
      description:
        'An addition of Longhand to the specification: a client that lost its place goes on with the parts that are missing.',
      tags: ['Uploads'],
      querystring: multipartStateQuery,
      response: {
        200: dataOf(multipartStateSchema, 'What is stored so far'),
        ...errorAnswers(multipartStateErrors),
      },
    },
    handler: async (request) => {
      const state = await multipartState(deps, principalOf(request), multipartReference(request.query));
      return { data: multipartStateOnWire(state, deps.publicUrl.forHost(request.headers.host)) };
    },
  });
}
