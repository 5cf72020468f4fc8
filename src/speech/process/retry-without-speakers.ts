import type { ChunkResult, RecogniseOptions } from '../chunk-result.ts';
import { SpeechError } from '../speech.ts';

/**
 * Native code may end a process while it listens for voices. The chunk is tried once more, and then recognised without
 * them: no speaker is worth the words.
 */
export async function retryWithoutSpeakers(
  attempt: (options: RecogniseOptions) => Promise<ChunkResult>,
  options: RecogniseOptions,
  signal: AbortSignal,
): Promise<ChunkResult> {
  try {
    return await attempt(options);
  } catch (error) {
    if (!options.speakers || !isDeath(error) || signal.aborted) throw error;
  }
  try {
    return await attempt(options);
  } catch (error) {
    if (!isDeath(error) || signal.aborted) throw error;
    const result = await attempt({ ...options, speakers: false });
    return { ...result, speakers: { fault: 'error', detail: error.message } };
  }
}

function isDeath(error: unknown): error is SpeechError {
  return error instanceof SpeechError && error.transient;
}
