/** Why a job ended as failed: a sentence for its owner and a stable code for logs. */
export interface Failure {
  code: string;
  sentence: string;
  /** For the log only: what the other side or the decoder said. */
  reason?: string;
  /** Our own fault: the job is given back to the account's allowance. What its own media caused is not. */
  isOurs: boolean;
}

const givenBack = 'It does not count against the daily allowance; please try again.';

/** What ends a job besides its media; docs/failures.md explains each to users. */
export const ownFailures = {
  internal: {
    code: 'internal',
    sentence: `Something went wrong on our side while this file was processed. ${givenBack}`,
    isOurs: true,
  },
  stalled: {
    code: 'stalled',
    sentence: `Something that this server needs was not available for a whole day. ${givenBack}`,
    isOurs: true,
  },
  modelMissing: {
    code: 'model_missing',
    sentence:
      'This server has no speech model for this recording. It does not count against the daily allowance; ask the operator to install the model (longhand doctor tells how).',
    isOurs: true,
  },
  recognizerFailed: {
    code: 'recognizer_failed',
    sentence:
      'Part of this recording cannot be recognised: it makes the speech recognizer fail. Convert the file to a common format such as MP3 or MP4 and send it again.',
    isOurs: false,
  },
} as const satisfies Record<string, Failure>;

/** Whether a job with this code failed through our own fault. */
export function isOwnFault(code: string | null): boolean {
  return Object.values(ownFailures).some((failure) => failure.code === code && failure.isOurs);
}
