/** The part of sherpa-onnx-node that Longhand uses; the package has no types of its own. */
declare module 'sherpa-onnx-node' {
  namespace sherpa {
    interface OfflineModelConfig {
      moonshine?: { encoder: string; mergedDecoder: string };
      transducer?: { encoder: string; decoder: string; joiner: string };
      nemoCtc?: { model: string };
      zipformerCtc?: { model: string };
      senseVoice?: { model: string; language?: string; useInverseTextNormalization?: number };
      whisper?: { encoder: string; decoder: string; language?: string; task?: string; tailPaddings?: number };
      tokens: string;
      modelType?: string;
      numThreads: number;
      provider: 'cpu';
      debug: 0 | 1;
    }

    interface OfflineResult {
      text: string;
      tokens: string[];
      timestamps: number[];
      lang?: string;
    }

    class OfflineStream {
      acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void;
    }

    class OfflineRecognizer {
      static createAsync(config: {
        featConfig: { sampleRate: number; featureDim: number };
        modelConfig: OfflineModelConfig;
      }): Promise<OfflineRecognizer>;
      createStream(): OfflineStream;
      decodeAsync(stream: OfflineStream): Promise<OfflineResult>;
    }

    interface OfflineSpeakerDiarizationConfig {
      segmentation: { pyannote: { model: string }; numThreads: number };
      embedding: { model: string; numThreads: number };
      clustering: { numClusters: number; threshold: number };
      /** Seconds. */
      minDurationOn: number;
      minDurationOff: number;
    }

    class OfflineSpeakerDiarization {
      constructor(config: OfflineSpeakerDiarizationConfig);
      process(samples: Float32Array): { start: number; end: number; speaker: number }[];
    }

    class OnlineStream {
      acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void;
      inputFinished(): void;
    }

    class SpeakerEmbeddingExtractor {
      constructor(config: { model: string; numThreads: number });
      createStream(): OnlineStream;
      isReady(stream: OnlineStream): boolean;
      compute(stream: OnlineStream, enableExternalBuffer: boolean): Float32Array;
    }
  }
  export = sherpa;
}
