import { extname } from 'node:path';
import { keywordsOfList, keywordsSentence } from '../../contract/keywords.ts';
import { chineseScriptOf } from '../../contract/language.ts';
import { type SpeakerCount, speakersMax } from '../../speech/speaker/cluster/speaker-clusters.ts';
import { wholeNumber } from '../option-value.ts';
import type { ServerAddress, ServerOptions } from '../server/server-address.ts';
import { UsageError } from '../usage-error.ts';
import type { JobOptions } from './job-runner.ts';

const formats = ['txt', 'srt', 'vtt', 'json'] as const;
export type Format = (typeof formats)[number];

export interface TranscribeOptions extends ServerOptions {
  format?: string;
  json?: boolean;
  output?: string;
  outputDir?: string;
  speakers?: boolean;
  speakerCount?: string;
  language?: string;
  keywords?: string;
  verbatim?: boolean;
  fromFile?: string;
  parallel?: string;
  follow?: boolean;
  again?: boolean;
}

const parallelMax = 32;
/** More at once would not be faster: the chunks of one long recording keep every worker busy. */
const localJobsAtOnceMax = 4;
/** Uploads share one line to the server, and each has parts of its own under way. */
export const serverJobsAtOnce = 4;

export function localJobsAtOnce(workers: number): number {
  return Math.min(workers, localJobsAtOnceMax);
}

export function jobOptionsOf(
  options: Pick<TranscribeOptions, 'language' | 'speakers' | 'speakerCount' | 'keywords' | 'verbatim'>,
): JobOptions {
  return {
    language: languageOf(options),
    chineseScript: chineseScriptOf(options.language ?? ''),
    speakers: options.speakers === true || options.speakerCount !== undefined,
    speakerCount: speakerCountOf(options),
    keywords: keywordsIn(options),
    verbatim: options.verbatim === true,
  };
}

/** How many recordings are worked on at once. */
export function parallelOf({ parallel }: Pick<TranscribeOptions, 'parallel'>, otherwise: number): number {
  return wholeNumber('--parallel', parallel, { min: 1, max: parallelMax, otherwise });
}

/** What one of the two places cannot do is said before anything is sent or done. */
export function refuseImpossible(
  {
    language,
    speakerCount,
    keywords,
    verbatim,
    again,
  }: Pick<TranscribeOptions, 'language' | 'speakerCount' | 'keywords' | 'verbatim' | 'again'>,
  server: ServerAddress | undefined,
): void {
  if (server && language !== undefined)
    throw new UsageError(
      '--language cannot be passed to a server: its API finds the language out; leave it out.',
    );
  if (server && speakerCount !== undefined)
    throw new UsageError('--speaker-count cannot be passed to a server: its API takes --speakers alone.');
  if (server && keywords !== undefined)
    throw new UsageError('--keywords cannot be passed to a server: its API has no field for them.');
  if (server && verbatim)
    throw new UsageError('--verbatim cannot be passed to a server: its setting LONGHAND_NUMBERS decides.');
  if (!server && again) throw new UsageError('--again is for a server; on this machine nothing is kept.');
}

/** Text that is shown while it is made is plain text without speakers: anything else needs a file beside it. */
export function refuseFollow(options: TranscribeOptions, format: Format): void {
  if (!options.follow) return;
  if (options.json) throw new UsageError('--follow and --json exclude each other on standard output.');
  if (options.output !== undefined || options.outputDir !== undefined) return;
  if (options.speakers || options.speakerCount !== undefined)
    throw new UsageError(
      'Speakers are known only at the end: with --follow, name --output or --output-dir for the transcript.',
    );
  if (format !== 'txt')
    throw new UsageError(`--follow shows text: name --output or --output-dir for the ${format}.`);
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

function languageOf({ language }: Pick<TranscribeOptions, 'language'>): string | null {
  if (language === undefined) return null;
  const [, code] = /^([a-z]{2,3})(?:[-_][A-Za-z]{2,4}){0,2}$/.exec(language) ?? [];
  if (code !== undefined) return code;
  throw new UsageError(
    `--language must be a code of two or three letters such as en, or zh-TW, not "${language}".`,
  );
}

function keywordsIn({ keywords }: Pick<TranscribeOptions, 'keywords'>): string[] {
  const terms = keywordsOfList(keywords ?? '');
  if (terms) return terms;
  throw new UsageError(`--keywords must be ${keywordsSentence}, with commas between them.`);
}

function speakerCountOf({ speakerCount }: Pick<TranscribeOptions, 'speakerCount'>): SpeakerCount | null {
  if (speakerCount === undefined) return null;
  const [, low, high = low] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(speakerCount) ?? [];
  const count = { min: Number(low), max: Number(high) };
  if (count.min >= 1 && count.min <= count.max && count.max <= speakersMax) return count;
  throw new UsageError(
    `--speaker-count must be a number from 1 to ${speakersMax} or a range such as 2-4, not "${speakerCount}".`,
  );
}
