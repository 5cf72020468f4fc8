/** Models that are better than the default ones and too large for them; they come from where their makers publish them. */

import type { Model } from './model.ts';

const mebibyte = 2 ** 20;
const parakeet = 'https://huggingface.co/csukuangfj/sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8/resolve/main';
const senseVoice =
  'https://huggingface.co/csukuangfj/sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17/resolve/main';

export const optionalModels: readonly Model[] = [
  {
    id: 'parakeet-tdt-0.6b-v3',
    kind: 'recognizer',
    title: 'NVIDIA Parakeet TDT 0.6b v3, 8 bit: 25 European languages, word times',
    licence: 'CC-BY-4.0',
    languages: 'en bg cs da de el es et fi fr hr hu it lt lv mt nl pl pt ro ru sk sl sv uk'.split(' '),
    memoryBytes: 2000 * mebibyte,
    default: false,
    files: [
      {
        name: 'encoder.int8.onnx',
        source: { url: `${parakeet}/encoder.int8.onnx` },
        sha256: 'acfc2b4456377e15d04f0243af540b7fe7c992f8d898d751cf134c3a55fd2247',
        sizeBytes: 652_184_281,
      },
      {
        name: 'decoder.int8.onnx',
        source: { url: `${parakeet}/decoder.int8.onnx` },
        sha256: '179e50c43d1a9de79c8a24149a2f9bac6eb5981823f2a2ed88d655b24248db4e',
        sizeBytes: 11_845_275,
      },
      {
        name: 'joiner.int8.onnx',
        source: { url: `${parakeet}/joiner.int8.onnx` },
        sha256: '3164c13fc2821009440d20fcb5fdc78bff28b4db2f8d0f0b329101719c0948b3',
        sizeBytes: 6_355_277,
      },
      {
        name: 'tokens.txt',
        source: { url: `${parakeet}/tokens.txt` },
        sha256: 'd58544679ea4bc6ac563d1f545eb7d474bd6cfa467f0a6e2c1dc1c7d37e3c35d',
        sizeBytes: 93_939,
      },
    ],
  },
  {
    id: 'sense-voice-small',
    kind: 'recognizer',
    title: 'SenseVoice small, 8 bit: Chinese, Cantonese, English, Japanese, Korean',
    licence: 'FunASR model licence',
    languages: ['zh', 'yue', 'en', 'ja', 'ko'],
    memoryBytes: 900 * mebibyte,
    default: false,
    files: [
      {
        name: 'model.int8.onnx',
        source: { url: `${senseVoice}/model.int8.onnx` },
        sha256: 'c71f0ce00bec95b07744e116345e33d8cbbe08cef896382cf907bf4b51a2cd51',
        sizeBytes: 239_233_841,
      },
      {
        name: 'tokens.txt',
        source: { url: `${senseVoice}/tokens.txt` },
        sha256: 'f449eb28dc567533d7fa59be34e2abca8784f771850c78a47fb731a31429a1dc',
        sizeBytes: 315_894,
      },
    ],
  },
];
