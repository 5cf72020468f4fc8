import { SpeechProcessDied } from '../speech.ts';

const triesMax = 3;

/**
 * For work that is short but stands in the middle of something long, such as a block of an hour that is searched for
 * voices: a process that dies costs the block, not the hour. What kills every process is still given up soon.
 */
export async function retryAfterDeath<Result>(
  attempt: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof SpeechProcessDied) || tries === triesMax || signal.aborted) throw error;
    }
  }
}
