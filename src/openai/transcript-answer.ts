/** A completed job in each of OpenAI's response formats. */

import { languageName } from '../contract/language.ts';
import type { Speaker } from '../timeline/turn.ts';
import type { Segment } from '../transcript/segment.ts';
import { srt, vtt } from '../transcript/subtitle/subtitles.ts';
import type { TranscriptWord } from '../transcript/transcript-word.ts';
import type { CompletedTranscription } from '../transcription/transcription.ts';
import type { RequestOptions } from './request-options.ts';

export interface AnsweredJob {
  job: CompletedTranscription;
  words: readonly TranscriptWord[];
}

/** OpenAI's client decides by the type whether it parses JSON or gives the text as it is. */
const textTypes = { text: 'text/plain', srt: 'text/plain', vtt: 'text/vtt' } as const;

export function transcriptAnswer(
  answered: AnsweredJob,
  { format, granularities }: Pick<RequestOptions, 'format' | 'granularities'>,
): { type: string; body: string | object } {
  const { job, words } = answered;
  const asText = (kind: keyof typeof textTypes, body: string) => ({
    type: `${textTypes[kind]}; charset=utf-8`,
    body,
  });
  const asJson = (body: object) => ({ type: 'application/json; charset=utf-8', body });
  switch (format) {
    case 'text':
      return asText('text', `${job.text}\n`);
    case 'srt':
      return asText('srt', srt(words));
    case 'vtt':
      return asText('vtt', vtt(words));
    case 'json':
      return asJson({ text: job.text, usage: usageOf(job) });
    case 'verbose_json':
      return asJson(verbose(answered, granularities));
    case 'diarized_json':
      return asJson({
        task: 'transcribe',
        duration: secondsOf(job),
        text: job.text,
        segments: job.segments.map(diarizedSegment),
        usage: usageOf(job),
      });
  }
}

export function diarizedSegment({ start, end, text, speaker }: Segment, index: number) {
  return {
    type: 'transcript.text.segment' as const,
    id: `seg_${index}`,
    start,
    end,
    text,
    speaker: speaker === undefined ? 'unknown' : speakerName(speaker),
  };
}

/** A, B, …, Z, AA, AB, … in the order in which they first speak. */
function speakerName(speaker: Speaker): string {
  if (typeof speaker === 'string') return speaker;
  const letter = String.fromCharCode(65 + (speaker % 26));
  return speaker < 26 ? letter : speakerName(Math.floor(speaker / 26) - 1) + letter;
}

function verbose({ job, words }: AnsweredJob, granularities: RequestOptions['granularities']) {
  const { task = 'transcribe', language } = job.options;
  return {
    task,
    language: languageName(task === 'translate' ? 'en' : language),
    duration: secondsOf(job),
    text: job.text,
    ...(granularities.has('segment') && { segments: job.segments.map(whisperSegment) }),
    ...(granularities.has('word') && { words: words.map(whisperWord) }),
    usage: usageOf(job),
  };
}

/**
 * What only Whisper's own decoder knows is filled in as if it was sure: no caller throws the text away for it.
 * `language` is ours: Whisper knows one for the whole recording.
 */
function whisperSegment({ start, end, text, language, confidence }: Segment, id: number) {
  return {
    id,
    seek: Math.round(start * 100),
    start,
    end,
    text,
    tokens: [],
    temperature: 0,
    avg_logprob: confidence === undefined ? 0 : Math.round(Math.log(Math.max(0.01, confidence)) * 100) / 100,
    compression_ratio: 1,
    no_speech_prob: 0,
    ...(language !== undefined && { language }),
  };
}

function whisperWord([text, startMs, endMs]: TranscriptWord) {
  return { word: text.trim(), start: startMs / 1000, end: endMs / 1000 };
}

/** Whole seconds, as OpenAI bills them. */
function usageOf({ durationSeconds }: CompletedTranscription) {
  return { type: 'duration' as const, seconds: Math.ceil(durationSeconds ?? 0) };
}

function secondsOf({ durationSeconds }: CompletedTranscription): number {
  return Math.round((durationSeconds ?? 0) * 1000) / 1000;
}
