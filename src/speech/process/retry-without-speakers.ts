import type { ChunkResult, RecogniseOptions } from '../chunk-result.ts';
import { SpeechProcessDied } from '../speech.ts';

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
    if (!options.speakers || !(error instanceof SpeechProcessDied) || signal.aborted) throw error;
  }
  try {
    return await attempt(options);
  } catch (error) {
    if (!(error instanceof SpeechProcessDied) || signal.aborted) throw error;
    const result = await attempt({ ...options, speakers: false });
    return { ...result, speakers: { fault: 'error', detail: error.message } };
  }
}
