import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApiError } from '../contract/errors.ts';
import { checkRequest } from '../contract/request-faults.ts';

/**
 * A body that is not JSON (malformed, not UTF-8, or of another content type) reaches validation as `undefined`, so that
 * the operation answers with its own code; an operation without a body ignores whatever was sent.
 */
export function parseBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    /^application\/json\s*(;|$)/i,
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => parsedJson(body),
  );
  server.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined);
  server.addHook('onRequest', async (request) => {
    // A content type that cannot be read is none; the framework would answer 415 whatever the operation.
    if (request.mediaType === undefined) delete request.headers['content-type'];
  });
}

function parsedJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** Validation through the fault table of each schema: what reaches the error handler is already an ApiError. */
export function validateRequests(server: FastifyInstance): void {
  server.setValidatorCompiler<z.ZodType>(({ schema }) => (input) => {
    const checked = checkRequest(schema, input);
    if (!('fault' in checked)) return checked;
    const { code, message } = checked.fault;
    return { error: new ApiError(code, { message }) };
  });
}
