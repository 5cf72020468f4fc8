import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { dataOf, errorAnswers, protectedErrors } from '../contract/envelope.ts';
import { ApiError } from '../contract/errors.ts';
import { pathId } from '../contract/path-id.ts';
import {
  createdTranscription,
  createdTranscriptionOnWire,
  createTranscriptionBody,
  createTranscriptionCommand,
  createTranscriptionErrors,
  createTranscriptionHeaders,
  listTranscriptionsQuery,
  transcription,
  transcriptionListItem,
  transcriptionListItemOnWire,
  transcriptionOnWire,
} from '../contract/transcription.ts';
import {
  type CreateTranscriptionDeps,
  createTranscription,
} from '../transcription/admission/create-transcription.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import { principalOf } from './authentication.ts';

const path = '/api/v1/transcriptions';

/** Registered on an instance behind `requireApiKey`. */
export function transcriptionRoutes(instance: FastifyInstance, deps: CreateTranscriptionDeps): void {
  const api = instance.withTypeProvider<ZodTypeProvider>();

  api.route({
    method: 'POST',
    url: path,
    config: { createsJob: true, unavailableCode: 'queue_unavailable' },
    schema: {
      operationId: 'createTranscription',
      summary: 'Start a transcription',
      description:
        'Answers at once; the work goes on in the background. One request makes one job, from exactly one of source_url and upload.',
      tags: ['Transcriptions'],
      headers: createTranscriptionHeaders,
      body: createTranscriptionBody,
      response: {
        202: dataOf(createdTranscription, 'The job is queued'),
        ...errorAnswers(createTranscriptionErrors),
      },
    },
    handler: async (request, reply) => {
      const { 'idempotency-key': idempotencyKey } = request.headers;
      const command = createTranscriptionCommand(request.body);
      const job = await createTranscription(deps, principalOf(request), { ...command, idempotencyKey });
      reply.code(202).header('location', `${path}/${job.id}`);
      return { data: createdTranscriptionOnWire(job) };
    },
  });

  api.route({
    method: 'GET',
    url: path,
    schema: {
      operationId: 'listTranscriptions',
      summary: 'The newest transcriptions',
      description:
        'The newest first, without a cursor. Text and segments are null here; get one job for them.',
      tags: ['Transcriptions'],
      querystring: listTranscriptionsQuery,
      response: {
        200: dataOf(z.array(transcriptionListItem), 'The newest jobs'),
        ...errorAnswers(['invalid_limit', ...protectedErrors]),
      },
    },
    handler: async (request) => {
      const jobs = await transcriptionStore.listNewest(
        deps.db,
        principalOf(request).account.id,
        request.query.limit,
      );
      return { data: jobs.map(transcriptionListItemOnWire) };
    },
  });

  api.route({
    method: 'GET',
    url: `${path}/:id`,
    schema: {
      operationId: 'getTranscription',
      summary: 'One transcription with its text',
      description: 'Poll with growing pauses until status is completed or failed.',
      tags: ['Transcriptions'],
      params: pathId,
      response: {
        200: dataOf(transcription, 'The job as it stands'),
        ...errorAnswers(['not_found', ...protectedErrors]),
      },
    },
    handler: async (request) => {
      const job = await transcriptionStore.findOwned(
        deps.db,
        principalOf(request).account.id,
        request.params.id,
      );
      if (!job) throw new ApiError('not_found');
      return { data: transcriptionOnWire(job) };
    },
  });
}
