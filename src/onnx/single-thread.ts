import type { InferenceSession } from 'onnxruntime-node';

/** One thread for each process: several processes beat many threads on the same cores. */
export const singleThread: InferenceSession.SessionOptions = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
};
