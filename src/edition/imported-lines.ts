/** Subtitles and transcripts that somebody else made, as lines of ours. */
import * as captions from 'media-captions';
import { ApiError } from '../contract/errors.ts';

export type ImportFormat = 'srt' | 'vtt' | 'json';

export interface ImportedLine {
  startMs: number;
  endMs: number;
  text: string;
  /** A name. */
  speaker: string | null;
}

interface CueNode {
  type?: string;
  voice?: string;
  data?: string;
  children?: CueNode[];
}

interface ParsedCue {
  startTime: number;
  endTime: number;
  text: string;
}

/** Its published types can be resolved by a bundler only. */
const { parseText, tokenizeVTTCue } = captions as unknown as {
  parseText(text: string, options: { type: 'srt' | 'vtt' }): Promise<{ cues: ParsedCue[] }>;
  tokenizeVTTCue(cue: ParsedCue): CueNode[];
};

const linesMax = 50_000;
const textCharactersMax = 10_000;
const msMax = 360_000_000;
const nameCharactersMax = 100;
/** `Amara: Good morning`, as subtitles without voices write it. */
const spokenBy = /^([\p{Lu}\p{N}][\p{L}\p{N} .'’-]{0,39}): +(?=\S)/u;

export async function importedLines(format: ImportFormat, content: string): Promise<ImportedLine[]> {
  const found = format === 'json' ? linesOfJson(content) : await linesOfCues(format, content);
  const lines = found.filter(({ text }) => text !== '').toSorted((a, b) => a.startMs - b.startMs);
  if (lines.length === 0) throw unreadable(`No line was found in it; is it a file of the type ${format}?`);
  if (lines.length > linesMax) throw unreadable(`It has more than ${linesMax} lines.`);
  return lines;
}

async function linesOfCues(type: 'srt' | 'vtt', content: string): Promise<ImportedLine[]> {
  const { cues } = await parseText(content.replace(/^\uFEFF/, ''), { type });
  return cues.map((cue) => {
    const nodes = tokenizeVTTCue(cue);
    const voice = voiceIn(nodes);
    const text = textIn(nodes).replace(/\s+/gu, ' ').trim();
    const named = voice === undefined ? spokenBy.exec(text) : null;
    return line({
      start: cue.startTime,
      end: cue.endTime,
      text: named ? text.slice(named[0].length) : text,
      speaker: voice ?? named?.[1],
    });
  });
}

function textIn(nodes: readonly CueNode[]): string {
  return nodes.map(({ data, children }) => data ?? textIn(children ?? [])).join('');
}

function voiceIn(nodes: readonly CueNode[]): string | undefined {
  for (const { type, voice, children = [] } of nodes) {
    const found = type === 'v' ? voice : voiceIn(children);
    if (found) return found;
  }
  return undefined;
}

/** As our own export and the API give it: `segments` with start, end, text and perhaps a speaker. */
function linesOfJson(content: string): ImportedLine[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch (cause) {
    throw unreadable('It is not JSON.', cause);
  }
  const segments = Array.isArray(parsed) ? parsed : (parsed as { segments?: unknown } | null)?.segments;
  if (!Array.isArray(segments)) throw unreadable('It has no list "segments".');
  return segments.map((segment: unknown) => {
    const { start, end, text, speaker } = (segment ?? {}) as Record<string, unknown>;
    if (typeof start !== 'number' || typeof end !== 'number' || typeof text !== 'string')
      throw unreadable('Each segment needs start and end in seconds, and text.');
    return line({ start, end, text: text.trim(), speaker: speakerIn(speaker) });
  });
}

function speakerIn(speaker: unknown): string | undefined {
  if (typeof speaker === 'number') return `Speaker ${speaker + 1}`;
  return typeof speaker === 'string' ? speaker : undefined;
}

function line(found: {
  start: number;
  end: number;
  text: string;
  speaker?: string | undefined;
}): ImportedLine {
  const [startMs, endMs] = [Math.round(found.start * 1000), Math.round(found.end * 1000)];
  if (!(startMs >= 0 && startMs <= msMax && endMs <= msMax))
    throw unreadable('A time lies outside 100 hours.');
  if (found.text.length > textCharactersMax || !found.text.isWellFormed())
    throw unreadable(`A line has more than ${textCharactersMax} characters, or broken ones.`);
  const name = found.speaker
    ?.replace(/[\p{Cc}\p{Cs}]/gu, '')
    .trim()
    .slice(0, nameCharactersMax);
  return { startMs, endMs: Math.max(startMs, endMs), text: found.text, speaker: name || null };
}

function unreadable(reason: string, cause?: unknown): ApiError {
  return new ApiError('invalid_request', { message: `The file could not be imported. ${reason}`, cause });
}
