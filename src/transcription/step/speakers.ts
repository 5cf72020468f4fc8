/** Who said what, over the whole recording. Whatever goes wrong here costs the speakers, never the transcript. */

import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/telemetry/telemetry.ts';
import type { ChunkResult, SpeakerFault } from '../../speech/chunk-result.ts';
import { type SpeakerCount, unknownCount } from '../../speech/speaker/cluster/speaker-clusters.ts';
import { joinedEvidence } from '../../speech/speaker/joined-evidence.ts';
import { type KnownVoice, namedTurns } from '../../speech/speaker/named-turns.ts';
import { settledTurns } from '../../speech/speaker/turn/settled-turns.ts';
import type { Speech } from '../../speech/speech.ts';
import type { SpeakerTurn } from '../../timeline/turn.ts';
import type { SpeakerOutcome } from '../speaker-outcome-store.ts';

export interface SpeakersDeps {
  speech: Speech;
  clock: Clock;
  logger: Logger;
}

/** Ten hours of windows take less than ten seconds on a busy core. */
const joinTimeoutMs = 120_000;

/** `outcome` is counted for the operator. */
export interface SpeakersOfJob {
  turns: SpeakerTurn[];
  outcome: SpeakerOutcome;
}

export async function speakersOfJob(
  deps: SpeakersDeps,
  job: string,
  results: readonly ChunkResult[],
  count: SpeakerCount | null,
  signal: AbortSignal,
  known: readonly KnownVoice[] = [],
): Promise<SpeakersOfJob> {
  const evidence = joinedEvidence(results);
  if ('fault' in evidence) return without(deps, job, evidence.fault, evidence.detail);
  const limit = deps.clock.timeout(joinTimeoutMs);
  try {
    const joinSignal = AbortSignal.any([signal, limit]);
    const turns = await deps.speech.joinSpeakers(evidence, count ?? unknownCount, joinSignal);
    const utterances = results.flatMap((result) => result.utterances);
    return { turns: namedTurns(settledTurns(utterances, turns), evidence, known), outcome: 'found' };
  } catch (error) {
    signal.throwIfAborted();
    const detail = error instanceof Error ? error.message : String(error);
    return without(deps, job, limit.aborted ? 'time-limit' : 'error', detail);
  }
}

function without({ logger }: SpeakersDeps, job: string, reason: SpeakerFault, detail: string): SpeakersOfJob {
  logger.warn({ job, reason, detail }, 'a transcript is completed without speakers');
  return { turns: [], outcome: reason };
}
