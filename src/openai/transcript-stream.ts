/** `stream=true`: a job as OpenAI's events, while it is made. */
import type { JobEvent } from '../transcription/feed/job-feed.ts';
import type { EndedTranscription } from '../transcription/transcription.ts';
import { completed, deletedJob } from './job-end.ts';
import { OpenAiError } from './openai-error.ts';
import type { RequestOptions } from './request-options.ts';
import { diarizedSegment } from './transcript-answer.ts';

/**
 * `transcript.text.delta` for each finished part; where speakers are told apart they are known only at the end, so
 * each `transcript.text.segment` comes then. `transcript.text.done` is the last one, with the whole text.
 */
export async function* transcriptFrames(
  events: AsyncIterable<JobEvent>,
  { format }: Pick<RequestOptions, 'format'>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const isDiarized = format === 'diarized_json';
  for await (const event of events) {
    if (event.kind === 'text' && !isDiarized) {
      for (const { lead, segment } of event.segments)
        yield frame({ type: 'transcript.text.delta', delta: lead + segment.text });
    }
    if (event.kind === 'ended') {
      yield* lastFrames(event.job, isDiarized);
      return;
    }
  }
  if (!signal.aborted) yield errorFrame(deletedJob());
}

function* lastFrames(ended: EndedTranscription, isDiarized: boolean): Generator<string> {
  try {
    const job = completed(ended);
    if (isDiarized) yield* job.segments.map((segment, index) => frame(diarizedSegment(segment, index)));
    yield frame({ type: 'transcript.text.done', text: job.text });
  } catch (error) {
    if (!(error instanceof OpenAiError)) throw error;
    yield errorFrame(error);
  }
}

function errorFrame({ body }: OpenAiError): string {
  return `event: error\n${frame(body)}`;
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
