/** A recording inside JSON, as some clients send short ones: it has to be held in memory, so it is small, and few come at once. */
import { z } from 'zod';
import type { ReceivedFile } from '../upload/receive-upload.ts';
import { OpenAiError } from './openai-error.ts';
import type { RequestFields } from './request-options.ts';

/** OpenAI's own limit of a recording; in base64 it is a third more, and there are other fields. */
const audioBytesMax = 25 * 1024 * 1024;
const bodyBytesMax = Math.ceil((audioBytesMax * 4) / 3) + 1024 * 1024;

/** `late` aborts when the body has taken too long: it is held in memory meanwhile. */
export async function readJson(body: AsyncIterable<Buffer>, late: AbortSignal): Promise<RequestFields> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of untilLate(body, late)) {
    bytes += part.length;
    if (bytes > bodyBytesMax) throw tooLarge();
    parts.push(part);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
    return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
  } catch (cause) {
    throw new OpenAiError('The body is not a JSON object.', { code: 'malformed_json', cause });
  }
}

/** One that waits for its next piece notices it, too. */
async function* untilLate(body: AsyncIterable<Buffer>, late: AbortSignal): AsyncGenerator<Buffer> {
  const pieces = body[Symbol.asyncIterator]();
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {}); // Whoever waits sees it.
  const onLate = () => ended.reject(tooSlow());
  late.addEventListener('abort', onLate, { once: true });
  try {
    for (;;) {
      const next = await Promise.race([pieces.next(), ended.promise]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    late.removeEventListener('abort', onLate);
  }
}

const inputAudio = z.object({
  data: z.string().min(1),
  format: z
    .string()
    .regex(/^(audio\/)?(x-)?[a-z0-9]{1,12}$/i)
    .default('wav'),
});

/** The recording of `input_audio`: base64, or a data URL. */
export function audioOf({ input_audio: given }: RequestFields): ReceivedFile {
  const parsed = inputAudio.safeParse(given);
  if (!parsed.success) {
    throw new OpenAiError('input_audio must be an object with data (base64) and format (such as wav).', {
      param: 'input_audio',
      code: given === undefined ? 'missing_required_parameter' : 'invalid_value',
    });
  }
  const { data, format } = parsed.data;
  const base64 = data.startsWith('data:') ? data.slice(data.indexOf(',') + 1) : data;
  if (!/^[A-Za-z0-9+/_-]*={0,2}\s*$/.test(base64)) {
    throw new OpenAiError('input_audio.data is not base64.', { param: 'input_audio', code: 'invalid_value' });
  }
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > audioBytesMax) throw tooLarge();
  const extension = format.toLowerCase().replace(/^(audio\/)?(x-)?/, '');
  return {
    filename: `audio.${extension}`,
    contentType: null,
    sizeBytesMax: Math.max(1, bytes.length),
    body: piecesOf(bytes),
  };
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function tooSlow(): OpenAiError {
  return new OpenAiError(
    'The body did not arrive in time. Send it as multipart/form-data, which may take longer.',
    {
      status: 408,
      code: 'request_timeout',
    },
  );
}

function tooLarge(): OpenAiError {
  return new OpenAiError(
    `A recording in JSON may have at most ${audioBytesMax / 1024 ** 2} MiB. Send a larger one as multipart/form-data.`,
    { status: 413, param: 'input_audio', code: 'file_too_large' },
  );
}
