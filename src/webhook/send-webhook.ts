import type { Egress, EgressLimits } from '../platform/egress.ts';
import { EgressFailure } from '../platform/egress-failure.ts';
import type { AttemptOutcome, SignedRequest } from './delivery.ts';
import { receiverRules } from './receiver-url.ts';

/** One request to one receiver. It never throws: a fault of the network is an outcome. */
export type SendWebhook = (request: SignedRequest, signal: AbortSignal) => Promise<AttemptOutcome>;

const limits: EgressLimits = {
  connectMs: 5_000,
  totalMs: 15_000,
  idleMs: 15_000,
  bytesMax: 64 * 1024,
  headerBytesMax: 16 * 1024,
  redirectsMax: 0,
};

export function webhookSender(egress: Pick<Egress, 'request'>): SendWebhook {
  return async ({ url, headers, body }, signal) => {
    try {
      const answer = await egress.request({
        url,
        method: 'POST',
        headers,
        body,
        limits,
        signal,
        ...receiverRules,
        keepAlive: true,
        beyondBytesMax: 'cut',
      });
      const outcome: AttemptOutcome = {
        kind: 'answered',
        statusCode: answer.status,
        retryAfter: answer.headers['retry-after'],
      };
      // The status decides; the rest is read, within its limits, only so that the connection can serve again.
      await answer.bytes().catch(() => {});
      return outcome;
    } catch (error) {
      return { kind: 'failed', error: error instanceof EgressFailure ? error.message : 'stopped' };
    }
  };
}
