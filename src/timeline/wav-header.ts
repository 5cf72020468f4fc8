import { bytesPerSample } from './pcm-samples.ts';
import { sampleRate } from './sample-rate.ts';

export const wavHeaderBytes = 44;
const channels = 1;
const integerSamples = 1;

/** What goes before `dataBytes` of our samples to make a WAV file of them. */
export function wavHeader(dataBytes: number): Buffer {
  const header = Buffer.alloc(wavHeaderBytes);
  header.write('RIFF', 0, 'ascii');
  header.writeUInt32LE(wavHeaderBytes - 8 + dataBytes, 4);
  header.write('WAVEfmt ', 8, 'ascii');
  header.writeUInt32LE(16, 16); // bytes of the format
  header.writeUInt16LE(integerSamples, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * bytesPerSample, 28);
  header.writeUInt16LE(bytesPerSample, 32);
  header.writeUInt16LE(8 * bytesPerSample, 34);
  header.write('data', 36, 'ascii');
  header.writeUInt32LE(dataBytes, 40);
  return header;
}
