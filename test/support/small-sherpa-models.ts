/**
 * Stand-ins for the larger models, small enough to write in a test and real enough for sherpa-onnx to load and
 * run: a segmentation that hears one person wherever it is loud, a voice that is the mean of each mel band, and
 * recognizers that write one word for all that they hear.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onnxModel } from '../../src/onnx/onnx-model.ts';

/** Field 14 of a model: pairs of key and value. Messages may be added to the end of a file. */
function metadata(entries: Readonly<Record<string, string>>): Buffer {
  const text = (field: number, value: string) => {
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.from([(field << 3) | 2, bytes.length]), bytes]);
  };
  return Buffer.concat(
    Object.entries(entries).map(([key, value]) => {
      const entry = Buffer.concat([text(1, key), text(2, value)]);
      return Buffer.concat([Buffer.from([(14 << 3) | 2, entry.length]), entry]);
    }),
  );
}

/** Classes as pyannote has them: nobody, three speakers, three pairs. */
function segmentation(): Buffer {
  const loudness = 0.01;
  const model = onnxModel({
    name: 'segmentation',
    nodes: [
      { operator: 'Abs', inputs: ['x'], outputs: ['size'] },
      {
        operator: 'AveragePool',
        inputs: ['size'],
        outputs: ['level'],
        attributes: { kernel_shape: [991], strides: [270] },
      },
      {
        operator: 'Conv',
        inputs: ['level', 'weights', 'bias'],
        outputs: ['classes'],
        attributes: { kernel_shape: [1] },
      },
      { operator: 'Transpose', inputs: ['classes'], outputs: ['y'], attributes: { perm: [0, 2, 1] } },
    ],
    initializers: [
      { name: 'weights', shape: [7, 1, 1], values: Float32Array.of(0, 1000, 0, 0, 0, 0, 0) },
      { name: 'bias', shape: [7], values: Float32Array.of(0, -1000 * loudness, -99, -99, -99, -99, -99) },
    ],
    inputs: [{ name: 'x', shape: ['N', 1, 'T'] }],
    outputs: [{ name: 'y', shape: ['N', 'F', 7] }],
  });
  return Buffer.concat([
    model,
    metadata({
      num_speakers: '3',
      powerset_max_classes: '2',
      num_classes: '7',
      sample_rate: '16000',
      window_size: '160000',
      receptive_field_size: '991',
      receptive_field_shift: '270',
      model_type: 'pyannote-segmentation-3.0',
      version: '1',
    }),
  ]);
}

function voice(): Buffer {
  const model = onnxModel({
    name: 'voice',
    nodes: [
      {
        operator: 'ReduceMean',
        inputs: ['feats'],
        outputs: ['bands'],
        attributes: { axes: [1], keepdims: 0 },
      },
      {
        operator: 'ReduceMean',
        inputs: ['bands'],
        outputs: ['level'],
        attributes: { axes: [1], keepdims: 1 },
      },
      { operator: 'Sub', inputs: ['bands', 'level'], outputs: ['embs'] },
    ],
    initializers: [],
    inputs: [{ name: 'feats', shape: ['N', 'T', 80] }],
    outputs: [{ name: 'embs', shape: ['N', 80] }],
  });
  return Buffer.concat([
    model,
    metadata({
      framework: 'wespeaker',
      language: 'English',
      sample_rate: '16000',
      output_dim: '80',
      normalize_samples: '0',
    }),
  ]);
}

/** The directories of both, in the order in which the listener wants them. */
export async function writeSmallSherpaModels(directory: string): Promise<string[]> {
  const directories = ['segmentation', 'voice'].map((name) => join(directory, name));
  for (const [index, path] of directories.entries()) {
    await mkdir(path);
    await writeFile(join(path, 'model.onnx'), index === 0 ? segmentation() : voice());
  }
  return directories;
}

const bands = 80;
/** The mean of the logarithms of the bands; digital silence is at -16. */
const soundLevel = -20;

/** One column for each thing that can be written: `weights` times the level of a frame, and `bias`. */
function judgement(input: string, output: string, columns: { weights: number[]; bias: number[] }) {
  const count = columns.weights.length;
  return {
    nodes: [
      {
        operator: 'ReduceMean',
        inputs: [input],
        outputs: ['level'],
        attributes: { axes: [2], keepdims: 1 },
      },
      { operator: 'MatMul', inputs: ['level', 'columns'], outputs: ['scaled'] },
      { operator: 'Add', inputs: ['scaled', 'shift'], outputs: [output] },
    ],
    initializers: [
      { name: 'columns', shape: [1, count], values: Float32Array.from(columns.weights) },
      { name: 'shift', shape: [count], values: Float32Array.from(columns.bias) },
    ],
  };
}

/** As NeMo's: bands by frames come in, the last column is blank. */
function ctc(): Buffer {
  const judged = judgement('frames', 'logprobs', { weights: [1, 0], bias: [-soundLevel, 0] });
  const model = onnxModel({
    name: 'ctc',
    nodes: [
      {
        operator: 'Transpose',
        inputs: ['audio_signal'],
        outputs: ['frames'],
        attributes: { perm: [0, 2, 1] },
      },
      ...judged.nodes,
    ],
    initializers: judged.initializers,
    inputs: [
      { name: 'audio_signal', shape: ['N', bands, 'T'] },
      { name: 'length', shape: ['N'], type: 'int64' },
    ],
    outputs: [{ name: 'logprobs', shape: ['N', 'T', 2] }],
  });
  return Buffer.concat([
    model,
    metadata({
      vocab_size: '1',
      subsampling_factor: '1',
      normalize_type: '',
      model_type: 'EncDecCTCModelBPE',
    }),
  ]);
}

/** As icefall's: blank is 0. The decoder knows whether the word was written, so it is written once. */
function transducer(): Record<'encoder' | 'decoder' | 'joiner', Buffer> {
  const judged = judgement('x', 'encoder_out', { weights: [0, 1], bias: [0, -soundLevel] });
  const encoder = onnxModel({
    name: 'encoder',
    nodes: [...judged.nodes, { operator: 'Identity', inputs: ['x_lens'], outputs: ['encoder_out_lens'] }],
    initializers: judged.initializers,
    inputs: [
      { name: 'x', shape: ['N', 'T', bands] },
      { name: 'x_lens', shape: ['N'], type: 'int64' },
    ],
    outputs: [
      { name: 'encoder_out', shape: ['N', 'T', 2] },
      { name: 'encoder_out_lens', shape: ['N'], type: 'int64' },
    ],
  });
  const decoder = onnxModel({
    name: 'decoder',
    nodes: [
      // What stands before the first word is numbered -1.
      { operator: 'Max', inputs: ['y', 'blank'], outputs: ['written'] },
      { operator: 'Gather', inputs: ['table', 'written'], outputs: ['rows'] },
      {
        operator: 'ReduceMin',
        inputs: ['rows'],
        outputs: ['decoder_out'],
        attributes: { axes: [1], keepdims: 0 },
      },
    ],
    initializers: [
      { name: 'table', shape: [2, 2], values: Float32Array.of(0, 0, 0, -1000) },
      { name: 'blank', shape: [1], values: BigInt64Array.of(0n) },
    ],
    inputs: [{ name: 'y', shape: ['N', 2], type: 'int64' }],
    outputs: [{ name: 'decoder_out', shape: ['N', 2] }],
  });
  const joiner = onnxModel({
    name: 'joiner',
    nodes: [{ operator: 'Add', inputs: ['encoder_out', 'decoder_out'], outputs: ['logit'] }],
    initializers: [],
    inputs: [
      { name: 'encoder_out', shape: ['N', 2] },
      { name: 'decoder_out', shape: ['N', 2] },
    ],
    outputs: [{ name: 'logit', shape: ['N', 2] }],
  });
  return {
    encoder: Buffer.concat([encoder, metadata({ model_type: 'zipformer2' })]),
    decoder: Buffer.concat([decoder, metadata({ vocab_size: '2', context_size: '2' })]),
    joiner: Buffer.concat([joiner, metadata({ joiner_dim: '2' })]),
  };
}

/** Folders such as an operator places under `models/`; each writes `hello` when it hears something. */
export async function writeSmallBundles(
  modelsDirectory: string,
): Promise<{ ctc: string; transducer: string }> {
  const names = { ctc: 'my-nemo-ctc', transducer: 'my-transducer' };
  for (const name of Object.values(names)) await mkdir(join(modelsDirectory, name));
  await writeFile(join(modelsDirectory, names.ctc, 'model.onnx'), ctc());
  await writeFile(join(modelsDirectory, names.ctc, 'tokens.txt'), '▁hello 0\n<blk> 1\n');
  for (const [part, model] of Object.entries(transducer())) {
    await writeFile(join(modelsDirectory, names.transducer, `${part}.onnx`), model);
  }
  await writeFile(join(modelsDirectory, names.transducer, 'tokens.txt'), '<blk> 0\n▁hello 1\n');
  return names;
}
