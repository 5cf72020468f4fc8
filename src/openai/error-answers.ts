import type { FastifyError, FastifyInstance } from 'fastify';
import type { ApiError } from '../contract/errors.ts';
import { drainSome } from '../http/drain-some.ts';
import { apiErrorOf, logFault, passingHeaders } from '../http/error-answers.ts';
import type { Clock } from '../platform/clock.ts';
import { OpenAiError, openAiError } from './openai-error.ts';

/** Every answer of this API that is not a success, in OpenAI's envelope. */
export function answerInOpenAiForm(scope: FastifyInstance, clock: Clock): void {
  scope.setErrorHandler((error: FastifyError | ApiError | OpenAiError, request, reply) => {
    const known = error instanceof OpenAiError ? error : openAiError(apiErrorOf(error, request));
    logFault(request, known);
    if (!request.raw.complete) {
      // A client that first sends all of its body still gets to the answer; one that sends much more is cut off later.
      request.raw.unpipe();
      drainSome(clock, request.raw);
    }
    return reply
      .code(known.status)
      .headers(passingHeaders(known.code))
      .header('cache-control', 'no-store')
      .headers(known.headers)
      .send(known.body);
  });
  scope.setNotFoundHandler((request) => {
    throw new OpenAiError(`Unknown request URL: ${request.method} ${request.url.split('?')[0]}.`, {
      status: 404,
      code: 'unknown_url',
    });
  });
}
