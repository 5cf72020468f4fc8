import { randomUUID } from 'node:crypto';
import { wavHeader } from '../../timeline/wav-header.ts';

/** A chunk's samples as the form that OpenAI-compatible endpoints take: a WAV file, the model, what is to be answered. */
export function transcriptionForm(
  samples: Uint8Array,
  { model, language, prompt }: { model: string; language: string | null; prompt: string | undefined },
): { contentType: string; body: Buffer } {
  const boundary = `longhand-${randomUUID()}`;
  const fields = [
    ['model', model],
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['temperature', '0'],
    ...(language === null ? [] : [['language', language]]),
    ...(prompt ? [['prompt', prompt]] : []),
  ];
  const head = fields.map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="chunk.wav"\r\ncontent-type: audio/wav\r\n\r\n`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      Buffer.from(head.join('') + file),
      wavHeader(samples.length),
      samples,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}
