import type { Egress } from '../egress/egress.ts';
import { EgressFailure } from '../egress/failure.ts';
import type { PostLimits } from '../egress/post.ts';
import type { AttemptOutcome, SignedRequest } from './delivery.ts';
import { receiverRules } from './receiver-url.ts';

/** One request to one receiver. It never throws: a fault of the network is an outcome. */
export type SendWebhook = (request: SignedRequest, signal: AbortSignal) => Promise<AttemptOutcome>;

const limits: PostLimits = {
  connectMs: 5_000,
  totalMs: 15_000,
  bytesMax: 64 * 1024,
  headerBytesMax: 16 * 1024,
  keptBytesMax: 1_024,
};

/** A redirect is an answer like any other: nobody follows it. */
export function webhookSender(egress: Pick<Egress, 'poster'>): SendWebhook {
  const post = egress.poster(limits, receiverRules);
  return async ({ url, headers, body }, signal) => {
    try {
      const answer = await post({ url, headers, body, signal });
      return {
        kind: 'answered',
        statusCode: answer.status,
        retryAfter: firstOf(answer.headers['retry-after']),
        body: textOf(answer.body),
      };
    } catch (error) {
      return { kind: 'failed', error: error instanceof EgressFailure ? error.message : 'stopped' };
    }
  };
}

/** For the log. PostgreSQL's texts hold everything but the one character that is replaced. */
function textOf(body: Buffer): string | undefined {
  return body.length === 0 ? undefined : body.toString('utf8').replaceAll('\0', '\ufffd');
}

function firstOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
