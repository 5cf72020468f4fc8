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
  listTranscriptionsQuery,
  transcription,
  transcriptionListItem,
  transcriptionListItemOnWire,
  transcriptionOnWire,
} from '../contract/transcription.ts';
import { type CreateTranscriptionDeps, createTranscription } from '../transcription/create-transcription.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import { principalOf } from './authentication.ts';

const path = '/api/v1/transcriptions';
const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

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
        'Answers at once; the work goes on in the background. An optional Idempotency-Key header makes a repeated request safe for 24 hours.',
      tags: ['Transcriptions'],
      body: createTranscriptionBody,
      response: { 202: dataOf(createdTranscription), ...errorAnswers(createTranscriptionErrors) },
    },
    handler: async (request, reply) => {
      const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key']);
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
      description: 'One window, newest first. Text and segments are null here; get one job for them.',
      tags: ['Transcriptions'],
      querystring: listTranscriptionsQuery,
      response: {
        200: dataOf(z.array(transcriptionListItem)),
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
      response: { 200: dataOf(transcription), ...errorAnswers(['not_found', ...protectedErrors]) },
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

function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && idempotencyKeyPattern.test(header)) return header;
  throw new ApiError('invalid_request', {
    message: 'The header Idempotency-Key must have 1 to 255 visible ASCII characters, without spaces.',
  });
}
