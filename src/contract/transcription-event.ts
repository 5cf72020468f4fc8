/** The event stream of a job, our own addition to the specification, as it goes over the wire. */
import { z } from 'zod';
import { exampleAnswers } from './example-answers.ts';
import { requestFaults } from './request-faults.ts';
import {
  heardSegment,
  type TranscriptionResult,
  transcription,
  transcriptionOnWire,
} from './transcription.ts';

const progressEvent = z
  .object({
    status: z.enum(['processing', 'completed', 'failed']),
    stage: z
      .enum(['queued', 'fetching', 'decoding', 'recognising', 'finishing', 'done'])
      .describe('What the job is doing'),
    percent: z.int().min(0).max(100),
    audio_seconds_done: z.number().nullable().describe('Seconds of audio that are recognised'),
    audio_seconds_total: z.number().nullable().describe('Of how many; null until the length is known'),
    seconds_left: z.number().nullable().describe('Estimated time left; null while nothing can be said'),
  })
  .meta({ id: 'TranscriptionProgress', examples: [exampleAnswers.progress] });

const textEvent = z
  .object({
    sequence: z
      .int()
      .positive()
      .describe('How many segments there are up to the last of these; the id of the event'),
    text: z.string().describe('What these segments add to the text; all of them, joined, are the whole'),
    segments: z.array(heardSegment),
  })
  .meta({ id: 'TranscriptionText', examples: [exampleAnswers.textPart] });

/** `progress`, `text`, and at the end `completed` or `failed`: the job as its own address gives it. */
export const transcriptionEvent = z.union([progressEvent, textEvent, transcription]);

export const followHeaders = z
  .object({
    'last-event-id': z.string().optional().describe('The id of the last event that was seen'),
  })
  .register(requestFaults, { order: [], ofField: () => 'invalid_request' });

interface ProgressFields {
  status: 'processing' | 'completed' | 'failed';
  stage: z.infer<typeof progressEvent>['stage'];
  percent: number;
  audioSecondsDone: number | null;
  audioSecondsTotal: number | null;
  secondsLeft: number | null;
}

interface LedSegmentFields {
  lead: string;
  segment: z.infer<typeof heardSegment>;
}

export type TranscriptionEvent =
  | { kind: 'progress'; progress: ProgressFields }
  | { kind: 'text'; sequence: number; segments: readonly LedSegmentFields[] }
  | { kind: 'ended'; job: TranscriptionResult & { status: 'completed' | 'failed' } };

/** One frame of server-sent events. Only text has an id: progress is told anew to whoever comes again. */
export function eventFrame(event: TranscriptionEvent): string {
  switch (event.kind) {
    case 'progress':
      return frame('progress', progressOnWire(event.progress));
    case 'text':
      return frame('text', textOnWire(event), event.sequence);
    case 'ended':
      return frame(event.job.status, transcriptionOnWire(event.job));
  }
}

function progressOnWire(progress: ProgressFields): z.infer<typeof progressEvent> {
  return {
    status: progress.status,
    stage: progress.stage,
    percent: progress.percent,
    audio_seconds_done: progress.audioSecondsDone,
    audio_seconds_total: progress.audioSecondsTotal,
    seconds_left: progress.secondsLeft,
  };
}

function textOnWire({
  sequence,
  segments,
}: Extract<TranscriptionEvent, { kind: 'text' }>): z.infer<typeof textEvent> {
  const text = segments.map(({ lead, segment: { text } }) => lead + text).join('');
  return { sequence, text, segments: segments.map((part) => part.segment) };
}

/** JSON has no line breaks of its own, so one data line is enough. */
function frame(name: string, data: object, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
