import { type Decoded, type DecodeOptions, decode } from './decode.ts';
import { type MediaPrograms, type Probed, probe } from './probe.ts';

/** Reading local media files: what the job needs to turn one into samples. */
export interface Media {
  /** Throws a MediaFailure when the file is not media with sound. */
  probe(file: string, options?: { signal?: AbortSignal }): Promise<Probed>;
  decode(file: string, options: DecodeOptions): Decoded;
}

export function createMedia(programs: MediaPrograms): Media {
  return {
    probe: (file, options) => probe(programs, file, options),
    decode: (file, options) => decode(programs, file, options),
  };
}
