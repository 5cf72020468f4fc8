import { errors } from 'undici';
import { EgressFailure } from './failure.ts';

/** One kind for each way in which undici, TLS and sockets fail. */
export function failureFrom(error: unknown): EgressFailure {
  if (error instanceof EgressFailure) return error;
  const cause = { cause: error };
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return new EgressFailure('timeout', 'the other side fell silent', cause);
  }
  if (error instanceof errors.HeadersOverflowError || error instanceof errors.HTTPParserError) {
    return new EgressFailure('bad_answer', error.code ?? 'not HTTP', cause);
  }
  return new EgressFailure('interrupted', (error as NodeJS.ErrnoException).code ?? 'connection lost', cause);
}
