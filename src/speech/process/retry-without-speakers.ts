import type { ChunkResult, RecogniseOptions } from '../chunk-result.ts';
import { SpeechError } from '../speech.ts';

/**
 * Native code may crash while it embeds speakers. The chunk is tried once more, and then recognised without them: a
 * missing speaker must not lose text.
 */
export async function retryWithoutSpeakers(
  attempt: (options: RecogniseOptions) => Promise<ChunkResult>,
  options: RecogniseOptions,
  signal: AbortSignal,
): Promise<ChunkResult> {
  try {
    return await attempt(options);
  } catch (error) {
    if (!options.speakers || !isCrash(error) || signal.aborted) throw error;
  }
  try {
    return await attempt(options);
  } catch (error) {
    if (!isCrash(error) || signal.aborted) throw error;
    const result = await attempt({ ...options, speakers: false });
    return { ...result, speakers: { fault: 'error', detail: error.message } };
  }
}

function isCrash(error: unknown): error is SpeechError {
  return error instanceof SpeechError && error.transient;
}
