/** Which URLs may be asked for at all: what can be said without asking a name server. Pure. */
import { isIP } from 'node:net';
import { characterCount, urlCharactersMax } from '../contract/request-text.ts';
import {
  canonicalAddress,
  closedAddressReason,
  closedNameReason,
  closedPortReason,
} from './address-policy.ts';

/** Exact targets that may be reached although they are not public. There is no way to allow more than one by one. */
export interface EgressAllow {
  has(address: string, port: number): boolean;
  /** `address:port` of each, for the warning at start. */
  readonly entries: readonly string[];
}

export type UrlVerdict =
  | {
      ok: true;
      url: URL;
      /** The host without brackets and trailing dot. */
      host: string;
      port: number;
      /** A literal address of the allow list. */
      allowed: boolean;
    }
  | { ok: false; reason: string };

export interface UrlRules {
  allow: EgressAllow;
  /** Plain HTTP only to targets of the allow list. */
  httpsOnly?: boolean;
  /** Other ports only to targets of the allow list. */
  port443Only?: boolean;
}

/** Reads `127.0.0.1:9000, [::1]:9000`. Throws with a sentence for the operator when an entry is not an exact pair. */
export function parseEgressAllow(text: string): EgressAllow {
  const entries = text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, host = '', port = ''] = /^(.*):(\d{1,5})$/.exec(entry) ?? [];
      const address = canonicalAddress(host);
      const bracketed = isIP(host) !== 6;
      if (address === undefined || !bracketed || Number(port) < 1 || Number(port) > 65_535) {
        throw new Error(
          `"${entry}" is not an exact address and port such as 127.0.0.1:9000 or [::1]:9000 (names and ranges are not possible)`,
        );
      }
      return target(address, Number(port));
    });
  const known = new Set(entries);
  return {
    entries,
    has(address, port) {
      const canonical = canonicalAddress(address);
      return canonical !== undefined && known.has(target(canonical, port));
    },
  };
}

export const nothingAllowed: EgressAllow = parseEgressAllow('');

/**
 * Judges a URL by its text alone: scheme, credentials, port, literal addresses in every notation (the URL parser
 * turns 127.1, 0x7f000001, 2130706433 and the like into 127.0.0.1) and names that are never public.
 */
export function judgeUrl(text: string, rules: UrlRules): UrlVerdict {
  const trimmed = text.trim();
  if (characterCount(trimmed) > urlCharactersMax) return refuse('the URL is too long');
  if (hasConfusingCharacters(trimmed))
    return refuse('the URL contains control characters, backslashes or half of a character');
  if (!/^https?:\/\//i.test(trimmed)) return refuse('the URL does not begin with http:// or https://');
  const url = URL.parse(trimmed);
  if (!url) return refuse('not a URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('the scheme is not http or https');
  // Empty credentials are gone after parsing; the parser skips more slashes than two.
  if (/^https?:\/+[^/?#]*@/i.test(trimmed)) return refuse('the URL contains credentials');
  if (carriesInstructions(url)) return refuse('the URL carries instructions for a download tool');
  url.hash = ''; // No server ever sees it, but yt-dlp reads headers and even a proxy from it.
  return judgeTarget(url, rules);
}

function judgeTarget(url: URL, rules: UrlRules): UrlVerdict {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const allowed = isIP(host) !== 0 && rules.allow.has(host, port);
  if (allowed) return { ok: true, url, host, port, allowed };
  const closed = isIP(host) === 0 ? closedNameReason(host) : closedAddressReason(host);
  if (closed) return refuse(`the address is not public: ${closed}`);
  if (rules.httpsOnly && url.protocol !== 'https:') return refuse('the scheme is not https');
  if (rules.port443Only && port !== 443) return refuse('the port is not 443');
  const closedPort = closedPortReason(port);
  return closedPort ? refuse(closedPort) : { ok: true, url, host, port, allowed };
}

/** yt-dlp's own marker for options inside a URL, also where an extractor would decode it first. */
function carriesInstructions({ href }: URL): boolean {
  let text = href;
  for (let layer = 0; layer < 4; layer += 1) {
    if (/__youtubedl/i.test(text)) return true;
    text = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  }
  return false;
}

/** Characters that one parser drops and another keeps: nobody types them, attackers do. */
function hasConfusingCharacters(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isLoneSurrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < 0x20 || code === 0x7f || isLoneSurrogate || character === '\\') return true;
  }
  return false;
}

function refuse(reason: string): UrlVerdict {
  return { ok: false, reason };
}

function target(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
