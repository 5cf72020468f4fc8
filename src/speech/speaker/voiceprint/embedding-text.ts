/** Embeddings in a form that is small in a database: 128 bytes instead of 128 numbers of ten characters. */
import { type Embedding, unitLength } from './embedding.ts';

const largest = 127;

/** Quantized to 8 bits by its largest element; the norm is lost, the direction kept to a cosine of 0.9999. */
export function embeddingText(embedding: Embedding): string {
  let most = 0;
  for (const value of embedding) most = Math.max(most, Math.abs(value));
  const scale = most === 0 ? 0 : largest / most;
  return Buffer.from(Int8Array.from(embedding, (value) => Math.round(value * scale)).buffer).toString(
    'base64',
  );
}

export function embeddingOf(text: string): Embedding {
  const bytes = Buffer.from(text, 'base64');
  return unitLength(Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)));
}
