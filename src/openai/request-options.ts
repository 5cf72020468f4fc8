/** What a request asks for, from its form fields or its JSON; fields that mean nothing here are passed over. */
import { z } from 'zod';
import {
  keywordsMax,
  keywordsOf,
  keywordsSentence,
  namesInPrompt,
  promptCharactersMax,
} from '../contract/keywords.ts';
import { type ChineseScript, chineseScriptOf, languageCode } from '../contract/language.ts';
import type { KnownSpeaker } from '../transcription/known-speaker-store.ts';
import type { Task } from '../transcription/transcription.ts';
import { OpenAiError } from './openai-error.ts';

const formats = ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'] as const;
export type ResponseFormat = (typeof formats)[number];

export interface RequestOptions {
  format: ResponseFormat;
  /** Of verbose_json. */
  granularities: ReadonlySet<'word' | 'segment'>;
  stream: boolean;
  /** Undefined: found out. */
  language: string | undefined;
  /** Of Chinese text, where the language names one. */
  chineseScript: ChineseScript | undefined;
  knownSpeakers: readonly KnownSpeaker[] | undefined;
  /** Also those that the prompt names. */
  keywords: readonly string[] | undefined;
  prompt: string | undefined;
}

/** A form has every value as text, and any of them several times. */
export type RequestFields = Readonly<Record<string, unknown>>;

const one = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (Array.isArray(value) ? value.at(-1) : value), schema);
const many = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === undefined || Array.isArray(value) ? value : [value]), schema);
/** Clients send an empty field where they mean none. */
const orNothing = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' || value === null ? undefined : value), schema.optional());

const language = z.string().transform((text, context) => {
  const code = languageCode(text);
  if (code !== undefined) return { code, script: chineseScriptOf(text) };
  context.addIssue({ code: 'custom', message: `"${text.slice(0, 40)}" is no language` });
  return z.NEVER;
});

const keywords = z.array(z.string()).transform((given, context) => {
  const terms = keywordsOf(given);
  if (terms) return terms;
  context.addIssue({ code: 'custom', message: 'too many, or too long' });
  return z.NEVER;
});

/** As OpenAI has it. */
const speakersMax = 4;
const speakerName = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\p{Cs}]{1,100}$/u);

const reference = z.string().transform((url, context) => {
  const [, base64] = /^data:[^,]{0,200};base64,([A-Za-z0-9+/_-]+={0,2})\s*$/.exec(url) ?? [];
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  context.addIssue({ code: 'custom', message: 'no data URL' });
  return z.NEVER;
});

const schema = z.object({
  response_format: one(orNothing(z.enum(formats))),
  timestamp_granularities: many(orNothing(z.array(z.enum(['word', 'segment'])))),
  stream: one(
    orNothing(
      z.preprocess(
        (value) => (typeof value === 'string' ? value.toLowerCase() : value),
        z.literal([true, false, 'true', 'false', '1', '0']),
      ),
    ),
  ),
  language: one(orNothing(language)),
  languages: many(orNothing(z.array(language))),
  keywords: many(orNothing(keywords)),
  prompt: one(
    orNothing(
      z
        .string()
        .max(promptCharactersMax)
        .regex(/^[^\0\p{Cs}]*$/u),
    ),
  ),
  known_speaker_names: many(orNothing(z.array(speakerName).max(speakersMax))),
  known_speaker_references: many(orNothing(z.array(reference).max(speakersMax))),
});

const sentences: Record<string, string> = {
  response_format: `response_format must be one of ${formats.join(', ')}.`,
  timestamp_granularities: 'timestamp_granularities[] must be word, segment or both.',
  stream: 'stream must be true or false.',
  language: 'language must be the code of a language that Whisper knows, such as en.',
  known_speaker_names: `known_speaker_names[] must be at most ${speakersMax} names of up to 100 characters.`,
  known_speaker_references: `known_speaker_references[] must be at most ${speakersMax} data URLs in base64, of two to ten seconds each.`,
  keywords: `keywords[] must be ${keywordsSentence}.`,
  prompt: `prompt must be a text of at most ${promptCharactersMax} characters.`,
  languages: 'languages[] must be codes of languages that Whisper knows, such as en.',
};

export function requestOptionsOf(fields: RequestFields, task: Task): RequestOptions {
  const parsed = schema.safeParse(fields);
  if (!parsed.success) {
    const param = String(parsed.error.issues[0]?.path[0] ?? '');
    throw new OpenAiError(sentences[param] ?? 'The request has a field that cannot be used.', {
      param: param || null,
      code: 'invalid_value',
    });
  }
  const { data } = parsed;
  const format = data.response_format ?? 'json';
  const stream = data.stream === true || data.stream === 'true' || data.stream === '1';
  if (stream && !['json', 'text', 'diarized_json'].includes(format)) {
    throw new OpenAiError(
      `A stream gives json, text or diarized_json; for ${format} leave out stream, which gives it when all is done.`,
      { param: 'stream', code: 'unsupported_value' },
    );
  }
  if (format === 'diarized_json' && task === 'translate') {
    throw new OpenAiError(
      'A translation has no speakers: ask for another response_format than diarized_json.',
      {
        param: 'response_format',
        code: 'unsupported_value',
      },
    );
  }
  const wanted = data.language ?? (data.languages?.length === 1 ? data.languages[0] : undefined);
  return {
    format,
    granularities: new Set(data.timestamp_granularities ?? ['segment']),
    stream,
    knownSpeakers: knownSpeakersOf(format, data),
    keywords: termsOf(data),
    prompt: data.prompt,
    language: wanted?.code,
    chineseScript: wanted?.script,
  };
}

/** Those that were listed come first, where they are more than can be taken together. */
function termsOf({ keywords: listed = [], prompt = '' }: z.infer<typeof schema>): string[] | undefined {
  const terms = [...new Set([...listed, ...namesInPrompt(prompt)])].slice(0, keywordsMax);
  return terms.length > 0 ? terms : undefined;
}

function knownSpeakersOf(
  format: ResponseFormat,
  { known_speaker_names: names = [], known_speaker_references: recordings = [] }: z.infer<typeof schema>,
): KnownSpeaker[] | undefined {
  if (names.length === 0 && recordings.length === 0) return undefined;
  const refuse = (message: string) =>
    new OpenAiError(message, { param: 'known_speaker_names', code: 'invalid_value' });
  if (format !== 'diarized_json') throw refuse('Known speakers need response_format=diarized_json.');
  if (names.length !== recordings.length || new Set(names).size !== names.length)
    throw refuse('known_speaker_names[] and known_speaker_references[] must be pairs, each name once.');
  return names.map((name, index) => ({ name, recording: recordings[index] ?? Buffer.alloc(0) }));
}
