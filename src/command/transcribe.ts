import { stat, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Config } from '../config.ts';
import { labelOf } from '../contract/label.ts';
import { judgeUrl } from '../egress/url.ts';
import { lazyEgress } from '../service/lazy-egress.ts';
import { openSpeech } from '../service/speech.ts';
import { type SpeakerCount, speakersMax } from '../speech/speaker/cluster/speaker-clusters.ts';
import { conversationText } from '../transcript/conversation-text.ts';
import { srt, vtt } from '../transcript/subtitles.ts';
import { commandContext } from './command-context.ts';
import type { FinishedJob, JobMedia } from './transcribe-job.ts';
import { UsageError } from './usage-error.ts';

const formats = ['txt', 'srt', 'vtt', 'json'] as const;
type Format = (typeof formats)[number];

export interface TranscribeOptions {
  format?: string;
  json?: boolean;
  output?: string;
  speakers?: boolean;
  speakerCount?: string;
  language?: string;
}

/** The whole job on this machine. */
export async function transcribe(given: string, options: TranscribeOptions): Promise<void> {
  const format = formatOf(options);
  speakerCountOf(options);
  const { config, clock, logger } = commandContext();
  const media = /^https?:\/\//i.test(given) ? mediaLink(given, config) : await mediaFile(given);
  const egress = lazyEgress(config, clock);
  const speech = await openSpeech({ config, clock, logger }, egress);
  if (!speech) {
    throw new UsageError('The speech models are not installed: run "longhand models install --default".');
  }
  try {
    // The models are loaded while the rest of the program is, and while the database starts.
    speech.warmUp(config.engine.name, languageOf(options));
    const { runJob } = await import('./transcribe-job.ts');
    const job = await runJob({ config, clock, logger, egress }, speech, media, {
      language: languageOf(options),
      speakers: options.speakers === true || options.speakerCount !== undefined,
      speakerCount: speakerCountOf(options),
    });
    await write(rendered(job, format), options.output);
  } finally {
    await speech.close();
    await egress.close();
  }
}

function languageOf({ language }: TranscribeOptions): string | null {
  if (language === undefined) return null;
  if (!/^[a-z]{2,3}$/.test(language))
    throw new UsageError(`--language must be a code of two or three letters such as en, not "${language}".`);
  return language;
}

function speakerCountOf({ speakerCount }: TranscribeOptions): SpeakerCount | null {
  if (speakerCount === undefined) return null;
  const [, low, high = low] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(speakerCount) ?? [];
  const count = { min: Number(low), max: Number(high) };
  if (count.min >= 1 && count.min <= count.max && count.max <= speakersMax) return count;
  throw new UsageError(
    `--speaker-count must be a number from 1 to ${speakersMax} or a range such as 2-4, not "${speakerCount}".`,
  );
}

function formatOf({ format, json }: TranscribeOptions): Format {
  const wanted = format ?? (json ? 'json' : 'txt');
  const known = formats.find((one) => one === wanted);
  if (!known) throw new UsageError(`--format must be one of ${formats.join(', ')}, not "${wanted}".`);
  return known;
}

function mediaLink(url: string, { egressAllow }: Config): JobMedia {
  const verdict = judgeUrl(url, { allow: egressAllow });
  if (!verdict.ok) throw new UsageError(`This link cannot be opened: ${verdict.reason}.`);
  return { kind: 'link', url };
}

async function mediaFile(path: string): Promise<JobMedia> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new UsageError(`There is no file "${path}".`);
  if (found.size === 0) throw new UsageError(`The file "${path}" is empty.`);
  return { kind: 'file', label: labelOf(basename(path), 'file'), path, sizeBytes: found.size };
}

function rendered({ text, segments, words, durationSeconds }: FinishedJob, format: Format): string {
  if (format === 'srt') return srt(words);
  if (format === 'vtt') return vtt(words);
  if (format === 'json') return `${JSON.stringify({ duration_seconds: durationSeconds, text, segments })}\n`;
  const isConversation = segments.some(({ speaker }) => speaker !== undefined);
  const readable = isConversation ? conversationText(segments) : text;
  return readable ? `${readable}\n` : '';
}

async function write(content: string, output: string | undefined): Promise<void> {
  if (output === undefined) process.stdout.write(content);
  else await writeFile(output, content);
}
