import { characterCount } from '../contract/request-text.ts';
import { receiverUrlCharactersMax } from '../contract/webhook.ts';
import type { Egress } from '../egress/egress.ts';
import { judgeUrl } from '../egress/url.ts';

/** The url as given when a receiver may have it, undefined when not. */
export type CheckReceiverUrl = (url: unknown) => Promise<string | undefined>;

/** What every connection to a receiver must obey; said again with each delivery. */
export const receiverRules = { httpsOnly: true, port443Only: true } as const;

/**
 * Judges a receiver when it is subscribed. A name that does not resolve yet is accepted, because names change; for
 * the same reason every connection is judged again when it is made.
 */
export function receiverUrlCheck(egress: Pick<Egress, 'allow' | 'resolvesToPublic'>): CheckReceiverUrl {
  return async (text) => {
    if (typeof text !== 'string' || characterCount(text) > receiverUrlCharactersMax) return undefined;
    // An empty fragment is gone after parsing, and parsing would drop white space.
    if (/[\s#]/u.test(text)) return undefined;
    const verdict = judgeUrl(text, { ...receiverRules, allow: egress.allow });
    if (!verdict.ok) return undefined;
    if (verdict.allowed) return text;
    return (await egress.resolvesToPublic(verdict.host, verdict.port)) === 'closed' ? undefined : text;
  };
}
