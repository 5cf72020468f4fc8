import { conversationText } from '../../transcript/conversation-text.ts';
import { srt, vtt } from '../../transcript/subtitle/subtitles.ts';
import type { FinishedJob } from './job-runner.ts';
import type { Format } from './transcribe-options.ts';

/** A finished job as a file of the format; JSON for programs has raw speakers, all else is for people. */
export function renderedTranscript(job: FinishedJob, format: Format): string {
  if (format === 'srt') return srt(job.words);
  if (format === 'vtt') return vtt(job.words);
  if (format === 'json') return `${JSON.stringify(transcriptForPrograms(job))}\n`;
  const isConversation = job.segments.some(({ speaker }) => speaker !== undefined);
  const readable = isConversation ? conversationText(job.segments) : job.text;
  return readable ? `${readable}\n` : '';
}

export function transcriptForPrograms({ durationSeconds, language, text, segments }: FinishedJob) {
  return { duration_seconds: durationSeconds, ...(language && { language }), text, segments };
}
