/** From what the network or a web server answered to the failure that the job shows. Pure. */
import { EgressFailure, type EgressFailureKind } from '../egress/failure.ts';
import { MediaFailure, type MediaFailureCode } from './media-failure.ts';

const codeOfKind: Record<EgressFailureKind, MediaFailureCode> = {
  blocked: 'source_blocked',
  dns: 'source_unreachable',
  connect: 'source_unreachable',
  tls: 'source_unreachable',
  timeout: 'media_too_slow',
  interrupted: 'source_unreachable',
  too_large: 'media_too_large',
  too_many_redirects: 'source_unresolvable',
  bad_answer: 'source_unresolvable',
};

/**
 * Failures of the egress become the job's; everything else (an abort, a full disk) stays what it is. Silence before
 * the first byte of an answer means another thing than silence in the middle of the media.
 */
export function failureOfEgress(error: unknown, onTimeout: MediaFailureCode = 'media_too_slow'): unknown {
  if (!(error instanceof EgressFailure)) return error;
  const code = error.kind === 'timeout' ? onTimeout : codeOfKind[error.kind];
  return new MediaFailure(code, { cause: error, transient: error.transient });
}

export function failureOfStatus(status: number, retryAfter?: string): MediaFailure {
  const cause = `HTTP ${status}`;
  const seconds = Number(retryAfter);
  const wait = seconds > 0 ? { retryAfterMs: seconds * 1000 } : {};
  if (status === 401 || status === 407) return new MediaFailure('media_login_required', { cause });
  if (status === 403) return new MediaFailure('media_forbidden', { cause });
  if (status === 404 || status === 410) return new MediaFailure('media_not_found', { cause });
  if (status === 451) return new MediaFailure('media_geo_restricted', { cause });
  if (status === 429) return new MediaFailure('source_rate_limited', { cause, ...wait });
  if (status >= 500 || status === 408 || status === 425) {
    return new MediaFailure('source_unreachable', { cause, ...wait });
  }
  return new MediaFailure('source_unresolvable', { cause });
}
