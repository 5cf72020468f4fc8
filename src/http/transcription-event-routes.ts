import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { errorAnswers, protectedErrors } from '../contract/envelope.ts';
import { ApiError } from '../contract/errors.ts';
import { pathId } from '../contract/path-id.ts';
import { eventFrame, followHeaders, transcriptionEvent } from '../contract/transcription-event.ts';
import type { JobEvent } from '../transcription/feed/job-feed.ts';
import type { JobFeeds } from '../transcription/feed/job-feeds.ts';
import { principalOf } from './authentication.ts';
import { beginEventStream, type EventStreams } from './event-streams.ts';

export interface TranscriptionEventDeps {
  feeds: JobFeeds;
  streams: EventStreams;
}

/** After a cut, the reader waits this long before it comes again. */
const retryMs = 2_000;

/** Registered on an instance behind `requireApiKey`. */
export function transcriptionEventRoutes(instance: FastifyInstance, deps: TranscriptionEventDeps): void {
  instance.withTypeProvider<ZodTypeProvider>().route({
    method: 'GET',
    url: '/api/v1/transcriptions/:id/events',
    schema: {
      operationId: 'followTranscription',
      summary: 'Follow a transcription while it is made',
      description:
        'Server-sent events, an addition of Longhand to the specification: `progress` (TranscriptionProgress), `text` with each finished part of the transcript in order (TranscriptionText), and at the end `completed` or `failed` with the whole job, which replaces the parts. A reader that comes again names the id of the last event it saw in the header Last-Event-ID and gets everything after it.',
      tags: ['Transcriptions'],
      params: pathId,
      headers: followHeaders,
      response: {
        200: {
          description: 'A stream of server-sent events; each data line holds one of these as JSON',
          content: { 'text/event-stream': { schema: transcriptionEvent } },
        },
        ...errorAnswers(['not_found', ...protectedErrors]),
      },
    },
    handler: async (request, reply) => {
      const { feeds, streams } = deps;
      const principal = principalOf(request);
      streams.admit(principal);
      const wanted = {
        accountId: principal.account.id,
        id: request.params.id,
        sequence: sequenceOf(request.headers['last-event-id']),
      };
      const left = new AbortController();
      const events = await feeds.follow(wanted, left.signal);
      if (!events) throw new ApiError('not_found');
      beginEventStream(reply);
      await streams.send({ principal, response: reply.raw }, (signal) => {
        signal.addEventListener('abort', () => left.abort(), { once: true });
        return framesOf(events);
      });
      return reply;
    },
  });
}

async function* framesOf(events: AsyncIterable<JobEvent>): AsyncGenerator<string> {
  yield `retry: ${retryMs}\n\n`;
  for await (const event of events) yield eventFrame(event);
}

/** Whatever is no number of ours means: from the beginning. */
function sequenceOf(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,9}$/.test(header) ? Number(header) : 0;
}
