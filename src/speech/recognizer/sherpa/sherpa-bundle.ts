/** What a folder of model files is that an operator has placed under `<models>/`, by the names of its files. */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type sherpa from 'sherpa-onnx-node';
import { SpeechError } from '../../speech.ts';

type BundleConfig = Omit<sherpa.OfflineModelConfig, 'numThreads' | 'provider' | 'debug'>;

/**
 * A transducer has an encoder, a decoder and a joiner; a CTC model is one file, and the folder's name says whose:
 * `sense-voice`, `zipformer`, or NeMo's (Parakeet, Citrinet, FastConformer). Eight-bit files go first.
 */
export async function sherpaBundle(directory: string): Promise<BundleConfig> {
  const names = (await readdir(directory)).toSorted();
  const id = basename(directory).toLowerCase();
  const tokens = onlyFile(directory, names, /^(.*-)?tokens\.txt$/);
  const encoder = findModel(directory, names, 'encoder');
  const decoder = findModel(directory, names, 'decoder');
  const joiner = findModel(directory, names, 'joiner');
  if (encoder && decoder && joiner) {
    const nemo = /nemo|parakeet/.test(id);
    return {
      transducer: { encoder, decoder, joiner },
      tokens,
      ...(nemo && { modelType: 'nemo_transducer' }),
    };
  }
  const model = findModel(directory, names, 'model') ?? findModel(directory, names, '');
  if (!model) throw new SpeechError(`${id} holds no model that Longhand knows`, { transient: false });
  if (/sense-?voice/.test(id)) return { senseVoice: { model, useInverseTextNormalization: 1 }, tokens };
  if (id.includes('zipformer')) return { zipformerCtc: { model }, tokens };
  return { nemoCtc: { model }, tokens };
}

function findModel(directory: string, names: readonly string[], part: string): string | undefined {
  const fitting = names.filter((name) => name.startsWith(part) && name.endsWith('.onnx'));
  const name = fitting.find((each) => each.includes('int8')) ?? fitting[0];
  return name && join(directory, name);
}

function onlyFile(directory: string, names: readonly string[], pattern: RegExp): string {
  const name = names.find((each) => pattern.test(each));
  if (name === undefined) {
    throw new SpeechError(`${basename(directory)} has no tokens.txt, so it cannot be used as an engine`, {
      transient: false,
    });
  }
  return join(directory, name);
}
