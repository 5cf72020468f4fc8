import { receiverUrlCharactersMax } from '../contract/webhook.ts';

/** The network's part of the judgement. */
export interface ReceiverNetwork {
  /** Whether an address literal belongs to the public internet. */
  isPublicAddress(address: string): boolean;
  /** Whether the operator allowed this exact pair although it is not public; it may then speak plain HTTP. */
  isAllowedPair(address: string, port: number): boolean;
  /** Names that never lead to the public internet: localhost, single labels, .local, .internal and the like. */
  isSpecialName(name: string): boolean;
  /** Every address of a name; empty when it does not resolve now. */
  resolve(name: string): Promise<readonly string[]>;
}

/** The url as given when a receiver may have it, undefined when not. */
export type CheckReceiverUrl = (url: unknown) => Promise<string | undefined>;

/**
 * Judges a receiver when it is subscribed. A name that does not resolve yet is accepted, because names change; for
 * the same reason every connection is judged again when it is made.
 */
export function receiverUrlCheck(network: ReceiverNetwork): CheckReceiverUrl {
  return async (text) => {
    const url = wellFormedUrl(text);
    if (!url) return undefined;
    const port = url.port === '' ? defaultPort(url) : Number(url.port);
    const literal = addressLiteral(url.hostname);
    const addresses = literal === undefined ? await addressesOf(network, url.hostname) : [literal];
    if (addresses === undefined) return undefined;
    const allowed =
      addresses.length > 0 && addresses.every((address) => network.isAllowedPair(address, port));
    if (allowed) return text as string;
    const isPublic = addresses.every((address) => network.isPublicAddress(address));
    return isPublic && url.protocol === 'https:' && url.port === '' ? (text as string) : undefined;
  };
}

function wellFormedUrl(text: unknown): URL | undefined {
  if (typeof text !== 'string' || text.length > receiverUrlCharactersMax) return undefined;
  // The parser would drop white space and read a backslash as a slash; what we store is what we judged.
  if (/[\s\p{Cc}\\#]/u.test(text) || !/^https?:\/\//i.test(text)) return undefined;
  const url = URL.parse(text);
  if (!url) return undefined;
  const authority = text.slice(text.indexOf('//') + 2).split(/[/?]/, 1)[0] ?? '';
  return authority.includes('@') ? undefined : url;
}

function defaultPort(url: URL): number {
  return url.protocol === 'https:' ? 443 : 80;
}

/** The parser has turned every notation of an IPv4 address (decimal, octal, hexadecimal, short) into the dotted one. */
function addressLiteral(hostname: string): string | undefined {
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined;
}

/** Undefined for a name that is never public. */
async function addressesOf(
  network: ReceiverNetwork,
  hostname: string,
): Promise<readonly string[] | undefined> {
  const name = hostname.replace(/\.$/, '');
  if (name === '' || network.isSpecialName(name)) return undefined;
  return await network.resolve(name);
}
