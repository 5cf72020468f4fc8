/**
 * What the text of a link to a known video site says: one video, something that can never be one job, or a short
 * link that has to be followed first. A table per site; nothing here asks the network.
 */
import type { MediaFailureCode } from './media-failure.ts';

export type PageShape =
  | { kind: 'page'; url: URL }
  | { kind: 'short'; url: URL }
  | { kind: 'refused'; code: MediaFailureCode };

type Verdict = 'page' | 'short' | MediaFailureCode;

interface Site {
  hosts: RegExp;
  /** First match wins; the text is path and query. */
  rules: readonly (readonly [pattern: RegExp, verdict: Verdict])[];
  /** For paths that no rule knows. */
  otherwise: Verdict;
  /** Parts of the query that would make one video a list. */
  drop?: readonly string[];
}

const many = 'source_not_accepted';

const sites: readonly Site[] = [
  {
    hosts: /^((www|m|music)\.)?youtube(-nocookie)?\.com$/,
    rules: [
      [/^\/watch\/?\?(.*&)?v=[\w-]{6,}/, 'page'],
      [/^\/(shorts|live|embed|v|e|clip)\/(?!videoseries)[\w-]{6,}/, 'page'],
      [/^\/attribution_link\?/, 'short'],
    ],
    otherwise: many,
    drop: ['list', 'index', 'start_radio', 'pp'],
  },
  {
    hosts: /^youtu\.be$/,
    rules: [[/^\/[\w-]{6,}/, 'page']],
    otherwise: many,
    drop: ['list'],
  },
  {
    hosts: /^((www|m)\.)?tiktok\.com$/,
    rules: [
      [/^\/@[^/]+\/video\/\d+/, 'page'],
      [/^\/(embed(\/v\d)?|v)\/\d+/, 'page'],
      [/^\/t\/\w+/, 'short'],
      [/^\/@[^/]+\/live/, 'media_live'],
      [/^\/@[^/]+\/photo\//, 'media_no_video'],
    ],
    otherwise: many,
  },
  { hosts: /^(vm|vt)\.tiktok\.com$/, rules: [[/^\/\w+/, 'short']], otherwise: many },
  {
    hosts: /^((www|m)\.)?instagram\.com$/,
    rules: [
      [/^\/reels\/audio\//, many],
      [/^\/(p|reel|reels|tv)\/[\w-]+/, 'page'],
      [/^\/share\/(p|reel)\/[\w-]+/, 'short'],
      [/^\/(stories|explore|accounts|direct)(\/|$)/, many],
      [/^\/[^/]+\/(p|reel)\/[\w-]+/, 'page'],
    ],
    otherwise: many,
  },
  {
    hosts: /^instagr\.am$/,
    rules: [[/^\/(p|reel|reels|tv)\/[\w-]+/, 'short']],
    otherwise: many,
  },
  {
    hosts: /^((www|m|web|mbasic|[a-z]{2}-[a-z]{2})\.)?facebook\.com$/,
    rules: [
      [/^\/watch\/?\?(.*&)?v=\d+/, 'page'],
      [/^\/(video|story|permalink)\.php\?/, 'page'],
      [/^\/video\/video\.php\?/, 'page'],
      [/^\/share\/(v|r)\/[\w-]+/, 'short'],
      [/^\/(reel|posts)\/[\w-]+/, 'page'],
      [/^\/groups\/[^/]+\/(posts|permalink)\/[\w-]+/, 'page'],
      [/^\/[^/]+\/videos\/([^/]+\/)?\d+/, 'page'],
      [/^\/[^/]+\/posts\/[\w-]+/, 'page'],
      [/^\/(photo|photos)(\.php|\/|\?|$)/, 'media_no_video'],
    ],
    otherwise: many,
  },
  { hosts: /^fb\.watch$/, rules: [[/^\/[\w-]+/, 'short']], otherwise: many },
  {
    hosts: /^((www|mobile|m)\.)?(x|twitter)\.com$/,
    rules: [
      [/^\/(i\/web|i|[^/]+)\/status(es)?\/\d+(\/photo\/\d+)?\/?(\?|$)/, 'page'],
      [/^\/(i|[^/]+)\/status(es)?\/\d+\/video\/\d+/, 'page'],
      [/^\/i\/(spaces|broadcasts)\//, 'media_live'],
    ],
    otherwise: many,
  },
  { hosts: /^t\.co$/, rules: [[/^\/\w+/, 'short']], otherwise: many },
  {
    hosts: /^((www|player)\.)?vimeo\.com$/,
    rules: [
      [/^\/(video\/)?\d+(\/[0-9a-f]+)?\/?(\?|$)/, 'page'],
      [/^\/channels\/[^/]+\/\d+/, 'page'],
      [/^\/groups\/[^/]+\/videos?\/\d+/, 'page'],
      [/^\/album\/\d+\/video\/\d+/, 'page'],
      [/^\/showcase\/\d+\/video\/\d+/, 'page'],
      [/^\/ondemand\//, 'media_drm_protected'],
      [/^\/event\//, 'media_live'],
    ],
    otherwise: many,
  },
  {
    hosts: /^((www|m|go)\.)?twitch\.tv$/,
    rules: [
      [/^\/videos\/\d+/, 'page'],
      [/^\/[^/]+\/(clip|v|video)\/[\w-]+/, 'page'],
      [/^\/[^/]+\/?(\?|$)/, 'media_live'],
    ],
    otherwise: many,
  },
  { hosts: /^clips\.twitch\.tv$/, rules: [[/^\/[\w-]+/, 'page']], otherwise: many },
];

/** Undefined when the host is none of the sites we know. */
export function pageShape(url: URL): PageShape | undefined {
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  const site = sites.find(({ hosts }) => hosts.test(host));
  if (!site) return undefined;
  const text = `${url.pathname}${url.search}`;
  const verdict = site.rules.find(([pattern]) => pattern.test(text))?.[1] ?? site.otherwise;
  if (verdict !== 'page' && verdict !== 'short') return { kind: 'refused', code: verdict };
  const plain = new URL(url.href);
  if (verdict === 'page') for (const name of site.drop ?? []) plain.searchParams.delete(name);
  return { kind: verdict, url: plain };
}
