import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError } from '../contract/errors.ts';
import { checkRequest } from '../contract/request-faults.ts';

/**
 * A body that is not JSON (malformed, or of another content type) reaches validation as `undefined`, so that the
 * operation answers with its own code; an operation without a body ignores whatever was sent.
 */
export function parseBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    /^application\/json\s*(;|$)/i,
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => {
      try {
        return JSON.parse(body);
      } catch {
        return undefined;
      }
    },
  );
  server.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined);
}

/** Validation through the fault table of each schema: what reaches the error handler is already an ApiError. */
export function validateRequests(server: FastifyInstance): void {
  server.setValidatorCompiler<z.ZodType>(({ schema }) => (input) => {
    const checked = checkRequest(schema, input);
    return 'code' in checked ? { error: new ApiError(checked.code) } : checked;
  });
}
