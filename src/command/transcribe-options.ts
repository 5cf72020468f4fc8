import { extname } from 'node:path';
import { type SpeakerCount, speakersMax } from '../speech/speaker/cluster/speaker-clusters.ts';
import { UsageError } from './usage-error.ts';

const formats = ['txt', 'srt', 'vtt', 'json'] as const;
export type Format = (typeof formats)[number];

export interface TranscribeOptions {
  format?: string;
  json?: boolean;
  output?: string;
  outputDir?: string;
  speakers?: boolean;
  speakerCount?: string;
  language?: string;
}

/** By --format, else by the name of the output, else JSON for programs and text for people. */
export function formatOf({ format, json, output }: TranscribeOptions): Format {
  if (format !== undefined)
    return known(format, `--format must be one of ${formats.join(', ')}, not "${format}".`);
  const extension = output === undefined ? '' : extname(output).slice(1).toLowerCase();
  if (extension !== '')
    return known(
      extension,
      `--output "${output}": ".${extension}" is no format; choose one of ${formats.join(', ')} with --format.`,
    );
  return json ? 'json' : 'txt';
}

function known(name: string, otherwise: string): Format {
  const format = formats.find((one) => one === name);
  if (!format) throw new UsageError(otherwise);
  return format;
}

export function languageOf({ language }: TranscribeOptions): string | null {
  if (language === undefined) return null;
  if (!/^[a-z]{2,3}$/.test(language))
    throw new UsageError(`--language must be a code of two or three letters such as en, not "${language}".`);
  return language;
}

export function speakerCountOf({ speakerCount }: TranscribeOptions): SpeakerCount | null {
  if (speakerCount === undefined) return null;
  const [, low, high = low] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(speakerCount) ?? [];
  const count = { min: Number(low), max: Number(high) };
  if (count.min >= 1 && count.min <= count.max && count.max <= speakersMax) return count;
  throw new UsageError(
    `--speaker-count must be a number from 1 to ${speakersMax} or a range such as 2-4, not "${speakerCount}".`,
  );
}
