import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../account/principal.ts';
import { principalOf } from '../http/authentication.ts';
import { beginEventStream, type EventStreams } from '../http/event-streams.ts';
import { segmentWords } from '../transcript/segment-words.ts';
import {
  type CreateTranscriptionDeps,
  createTranscription,
} from '../transcription/admission/create-transcription.ts';
import type { Task } from '../transcription/transcription.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import { completedJob, deletedJob, type JobEndDeps } from './job-end.ts';
import { OpenAiError } from './openai-error.ts';
import { type ReceivedRequest, type RequestBodyDeps, receiveRequest } from './request-body.ts';
import { type RequestOptions, requestOptionsOf } from './request-options.ts';
import { transcriptAnswer } from './transcript-answer.ts';
import { transcriptFrames } from './transcript-stream.ts';

export interface OpenAiDeps {
  bodies: RequestBodyDeps;
  transcriptions: CreateTranscriptionDeps;
  ends: JobEndDeps;
  /** Whether the engine can write in English what is spoken in another language. */
  canTranslate: boolean;
  streams: EventStreams;
}

/** For the answer to be made and sent after the wait. */
const answerSeconds = 20;

/** Registered on an instance behind `requireApiKey`. */
export function transcriptionRoutes(scope: FastifyInstance, deps: OpenAiDeps): void {
  const options = {
    config: { createsJob: true, unavailableCode: 'queue_unavailable' },
    schema: { hide: true },
  } as const;
  scope.post('/audio/transcriptions', options, (request, reply) =>
    answer(deps, request, reply, 'transcribe'),
  );
  scope.post('/audio/translations', options, (request, reply) => {
    if (deps.canTranslate) return answer(deps, request, reply, 'translate');
    throw new OpenAiError(
      'The speech engine of this server cannot translate. Use /v1/audio/transcriptions, or ask the operator for LONGHAND_ENGINE=auto.',
      { code: 'unsupported_operation' },
    );
  });
}

async function answer(deps: OpenAiDeps, request: FastifyRequest, reply: FastifyReply, task: Task) {
  const principal = principalOf(request);
  const received = await receiveRequest(deps.bodies, principal, request);
  const { options, id } = await startJob(deps, principal, received, task);
  if (options.stream) return await sendStream(deps, { principal, id, options }, reply);
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  // Nothing moves on the connection meanwhile, and the server closes those that are idle.
  request.raw.setTimeout((deps.ends.waitSeconds + answerSeconds) * 1000);
  const job = await completedJob(deps.ends, { accountId: principal.account.id, id }, left.signal);
  const words = (await transcriptionStore.words(deps.transcriptions.db, id)) ?? segmentWords(job.segments);
  const { type, body } = transcriptAnswer({ job, words }, options);
  return reply.type(type).send(body);
}

/** The job of the request: a new one, or the one that the same request has started before. */
async function startJob(
  { transcriptions }: OpenAiDeps,
  principal: Principal,
  { upload, fields }: ReceivedRequest,
  task: Task,
): Promise<{ options: RequestOptions; id: string }> {
  const { reference, contentHash, discard } = upload;
  // What cannot be erased now is left to the sweep.
  const giveUp = () => discard().catch(() => {});
  try {
    const options = requestOptionsOf(fields, task);
    const { id, isEarlier } = await createTranscription(transcriptions, principal, {
      source: { kind: 'upload', ...reference },
      speakerDiarization: options.format === 'diarized_json',
      language: options.language,
      chineseScript: options.chineseScript,
      keywords: options.keywords,
      prompt: options.prompt,
      knownSpeakers: options.knownSpeakers,
      task,
      contentHash,
    });
    if (isEarlier) await giveUp();
    return { options, id };
  } catch (error) {
    await giveUp();
    throw error;
  }
}

/** Headers go at once: no client gives up on a job that takes long. */
async function sendStream(
  { streams, ends }: OpenAiDeps,
  { principal, id, options }: { principal: Principal; id: string; options: RequestOptions },
  reply: FastifyReply,
): Promise<FastifyReply> {
  streams.admit(principal);
  const left = new AbortController();
  const events = await ends.feeds.follow({ accountId: principal.account.id, id, sequence: 0 }, left.signal);
  if (!events) throw deletedJob();
  beginEventStream(reply);
  await streams.send({ principal, response: reply.raw }, (signal) => {
    signal.addEventListener('abort', () => left.abort(), { once: true });
    return transcriptFrames(events, options, signal);
  });
  return reply;
}
