/**
 * Stand-ins for the larger speaker models, small enough to write in a test and real enough for sherpa-onnx to load and
 * run: a segmentation that hears one person wherever it is loud, and a voice that is the mean of each mel band.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onnxModel } from '../../src/speech/onnx-model.ts';

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
    weights: [
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
    weights: [],
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
