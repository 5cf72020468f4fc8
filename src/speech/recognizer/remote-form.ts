import { randomUUID } from 'node:crypto';
import { sampleRate } from '../../timeline/sample-rate.ts';

/** A chunk's samples as the form that OpenAI-compatible endpoints take: a WAV file, the model, what is to be answered. */
export function transcriptionForm(
  samples: Uint8Array,
  { model, language }: { model: string; language: string | null },
): { contentType: string; body: Buffer } {
  const boundary = `longhand-${randomUUID()}`;
  const fields = [
    ['model', model],
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
    ['temperature', '0'],
    ...(language === null ? [] : [['language', language]]),
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

function wavHeader(dataBytes: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'ascii');
  header.writeUInt32LE(36 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'ascii');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // integer samples
  header.writeUInt16LE(1, 22); // one channel
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'ascii');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
