import { fastifyMultipart } from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import type { Authenticator } from '../account/authenticate.ts';
import type { RateLimiter } from '../account/rate-limit.ts';
import { requireApiKey } from '../http/authentication.ts';
import { answerInOpenAiForm } from './error-answers.ts';
import { modelRoutes } from './model-routes.ts';
import { type OpenAiDeps, transcriptionRoutes } from './transcription-routes.ts';

export interface OpenAiRoutesDeps extends OpenAiDeps {
  authenticator: Authenticator;
  limiter: RateLimiter;
}

/** What OpenAI's clients call, under the same addresses: a base URL that ends in /v1 is all they need. */
export function openAiRoutes(server: FastifyInstance, deps: OpenAiRoutesDeps): void {
  server.register(
    async (scope) => {
      answerInOpenAiForm(scope, deps.ends.clock);
      scope.removeAllContentTypeParsers();
      // Every body stays a stream until its operation reads it.
      scope.addContentTypeParser('*', async () => undefined);
      await scope.register(fastifyMultipart);
      requireApiKey(scope, deps.authenticator, deps.limiter, { protocol: 'openai' });
      modelRoutes(scope);
      transcriptionRoutes(scope, deps);
    },
    { prefix: '/v1' },
  );
}
