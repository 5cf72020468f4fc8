import type { FastifyInstance } from 'fastify';
import { OpenAiError } from './openai-error.ts';

/** OpenAI's names are those that clients have in their settings; every name is taken, and means the engine of this server. */
const ids = [
  'longhand',
  'whisper-1',
  'gpt-transcribe',
  'gpt-4o-transcribe',
  'gpt-4o-mini-transcribe',
  'gpt-4o-transcribe-diarize',
];

/** Of the first version with this API; clients show it as a date. */
const createdSeconds = Date.UTC(2026, 10, 15) / 1000;

const modelOf = (id: string) => ({ id, object: 'model', created: createdSeconds, owned_by: 'longhand' });

/** Clients ask for these before they let one choose. */
export function modelRoutes(scope: FastifyInstance): void {
  scope.get('/models', { schema: { hide: true } }, async () => ({ object: 'list', data: ids.map(modelOf) }));

  scope.get<{ Params: { id: string } }>('/models/:id', { schema: { hide: true } }, async ({ params }) => {
    if (ids.includes(params.id)) return modelOf(params.id);
    throw new OpenAiError(`The model "${params.id.slice(0, 100)}" does not exist.`, {
      status: 404,
      param: 'model',
      code: 'model_not_found',
    });
  });
}
