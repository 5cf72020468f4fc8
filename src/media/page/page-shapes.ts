/**
 * What the text of a link to a known video site says: one video, something that can never be one job, or a short
 * link that has to be followed first. A table per site; nothing here asks the network. Every accepted shape becomes the
 * one form that all versions of the page resolver know as this site's, so that none is left to its general guesses.
 */
import type { MediaFailureCode } from '../media-failure.ts';

export type PageShape =
  | { kind: 'page'; url: URL }
  | { kind: 'short'; url: URL }
  | { kind: 'refused'; code: MediaFailureCode };

/** `$1` and the like stand for what the pattern found. */
type CanonicalUrl = `https://${string}`;
type Verdict = CanonicalUrl | 'short' | MediaFailureCode;

interface Site {
  hosts: RegExp;
  /** Parts of the query that count; all others are dropped. In this order. */
  query?: readonly string[];
  /** First match wins; the text is the path without doubled and closing slashes, and the query as above. */
  rules: readonly (readonly [pattern: RegExp, verdict: Verdict])[];
  /** For paths that no rule knows. */
  otherwise: MediaFailureCode;
}

const many = 'source_not_accepted';

const sites: readonly Site[] = [
  {
    hosts: /^((www|m|music)\.)?youtube(-nocookie)?\.com$/,
    query: ['v'],
    rules: [
      [/^\/watch\?v=([\w-]{11})$/i, 'https://www.youtube.com/watch?v=$1'],
      [
        /^\/(?:shorts|live|embed|v|e|watch)\/(?!videoseries|live_stream)([\w-]{11})\b/i,
        'https://www.youtube.com/watch?v=$1',
      ],
      [/^\/clip\/([\w-]{6,})/i, 'https://www.youtube.com/clip/$1'],
      [/^\/attribution_link/i, 'short'],
    ],
    otherwise: many,
  },
  {
    hosts: /^(www\.)?youtu\.be$/,
    rules: [[/^\/(?:shorts\/|live\/|embed\/)?([\w-]{11})\b/i, 'https://www.youtube.com/watch?v=$1']],
    otherwise: many,
  },
  {
    hosts: /^((www|m)\.)?tiktok\.com$/,
    rules: [
      [/^\/@([\w.-]+)\/video\/(\d+)/i, 'https://www.tiktok.com/@$1/video/$2'],
      [/^\/(?:embed(?:\/v\d)?|v|share\/video|player\/v\d)\/(\d+)/i, 'https://www.tiktok.com/@_/video/$1'],
      [/^\/t\/\w+/i, 'short'],
      [/^\/@[^/]+\/live/i, 'media_live'],
      [/^\/@[^/]+\/photo\//i, 'media_no_video'],
    ],
    otherwise: many,
  },
  { hosts: /^(vm|vt)\.tiktok\.com$/, rules: [[/^\/\w+/, 'short']], otherwise: many },
  {
    hosts: /^((www|m)\.)?(instagram\.com|instagr\.am)$/,
    rules: [
      [/^\/reels\/audio\b/i, many],
      [/^\/share\/(?:(p|reels?|tv)\/)?[\w-]+/i, 'short'],
      [/^\/(stories|explore|accounts|direct)\b/i, many],
      [/^\/(?:[\w.]+\/)?p\/([\w-]+)/i, 'https://www.instagram.com/p/$1/'],
      [/^\/(?:[\w.]+\/)?reels?\/([\w-]+)/i, 'https://www.instagram.com/reel/$1/'],
      [/^\/(?:[\w.]+\/)?tv\/([\w-]+)/i, 'https://www.instagram.com/tv/$1/'],
    ],
    otherwise: many,
  },
  {
    hosts: /^((www|m|web|mbasic|touch|[a-z]{2}-[a-z]{2})\.)?(facebook|fb)\.com$/,
    query: ['v', 'video_id', 'story_fbid', 'id'],
    rules: [
      [/^\/watch(?:\/live)?\?v=(\d+)/i, 'https://www.facebook.com/watch/?v=$1'],
      [/^\/(?:video\/)?(?:video\.php|embed)\?(?:v|video_id)=(\d+)/i, 'https://www.facebook.com/watch/?v=$1'],
      [
        /^\/(?:story|permalink)\.php\?story_fbid=(\w+)&id=(\w+)/i,
        'https://www.facebook.com/story.php?story_fbid=$1&id=$2',
      ],
      [/^\/share\/(?:(v|r|p)\/)?[\w-]+/i, 'short'],
      [/^\/reels?\/(\d+)/i, 'https://www.facebook.com/reel/$1'],
      [
        /^\/groups\/([\w.-]+)\/(?:posts|permalink)\/(\w+)/i,
        'https://www.facebook.com/groups/$1/permalink/$2/',
      ],
      [/^\/(?:[\w.-]+\/)?videos\/(?:[^/]+\/)*(\d+)/i, 'https://www.facebook.com/watch/?v=$1'],
      [/^\/([\w.-]+)\/posts\/(?:[^/?]+\/)?([\w-]+)/i, 'https://www.facebook.com/$1/posts/$2'],
      [/^\/(photo|photos)(\.php|\/|\?|$)/i, 'media_no_video'],
    ],
    otherwise: many,
  },
  { hosts: /^(fb\.watch|fb\.me)$/, rules: [[/^\/[\w-]+/, 'short']], otherwise: many },
  {
    hosts: /^((www|mobile|m)\.)?(x|twitter)\.com$/,
    rules: [
      [/^\/(?:i\/web|\w+)\/status(?:es)?\/(\d+)(\/video\/\d+)/i, 'https://twitter.com/i/web/status/$1$2'],
      [/^\/(?:i\/web|\w+)\/status(?:es)?\/(\d+)(?:\/photo\/\d+)?$/i, 'https://twitter.com/i/web/status/$1'],
      [/^\/statuses\/(\d+)$/i, 'https://twitter.com/i/web/status/$1'],
      [/^\/i\/(spaces|broadcasts)\//i, 'media_live'],
    ],
    otherwise: many,
  },
  { hosts: /^t\.co$/, rules: [[/^\/\w+/, 'short']], otherwise: many },
  {
    hosts: /^player\.vimeo\.com$/,
    query: ['h'],
    rules: [
      [/^\/video\/(\d+)\?h=([0-9a-f]+)$/i, 'https://player.vimeo.com/video/$1?h=$2'],
      [/^\/video\/(\d+)/i, 'https://player.vimeo.com/video/$1'],
    ],
    otherwise: many,
  },
  {
    hosts: /^(www\.)?vimeo\.com$/,
    query: ['h'],
    rules: [
      [/^\/(?:video\/)?(\d+)\?h=([0-9a-f]+)$/i, 'https://vimeo.com/$1/$2'],
      [/^\/(?:video\/)?(\d+)$/i, 'https://vimeo.com/$1'],
      [/^\/(?:video\/)?(\d+)\/([0-9a-f]+)$/i, 'https://vimeo.com/$1/$2'],
      [/^\/channels\/[^/]+\/(\d+)/i, 'https://vimeo.com/$1'],
      [/^\/groups\/[^/]+\/videos?\/(\d+)/i, 'https://vimeo.com/$1'],
      [/^\/(?:album|showcase)\/(\d+)\/video\/(\d+)/i, 'https://vimeo.com/album/$1/video/$2'],
      [/^\/ondemand\//i, 'media_drm_protected'],
      [/^\/event\//i, 'media_live'],
    ],
    otherwise: many,
  },
  {
    hosts: /^((www|m|go)\.)?twitch\.tv$/,
    rules: [
      [/^\/(?:videos|\w+\/v(?:ideo)?)\/(\d+)/i, 'https://www.twitch.tv/videos/$1'],
      [/^\/\w+\/clip\/([\w-]+)/i, 'https://clips.twitch.tv/$1'],
      [/^\/[^/]+$/, 'media_live'],
    ],
    otherwise: many,
  },
  {
    hosts: /^clips\.twitch\.tv$/,
    query: ['clip'],
    rules: [
      [/^\/embed\?clip=([\w-]+)/i, 'https://clips.twitch.tv/$1'],
      [/^\/(?:\w+\/)?([\w-]+)/, 'https://clips.twitch.tv/$1'],
    ],
    otherwise: many,
  },
];

/** Undefined when the host is none of the sites we know. */
export function pageShape(url: URL): PageShape | undefined {
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  const site = sites.find(({ hosts }) => hosts.test(host));
  if (!site) return undefined;
  const text = `${plainPath(url)}${keptQuery(url, site.query ?? [])}`;
  const rule = site.rules.find(([pattern]) => pattern.test(text));
  if (!rule) return { kind: 'refused', code: site.otherwise };
  const [pattern, verdict] = rule;
  if (verdict === 'short') return { kind: 'short', url: new URL(url.href) };
  if (!isCanonicalUrl(verdict)) return { kind: 'refused', code: verdict };
  const found = pattern.exec(text) ?? [];
  return {
    kind: 'page',
    url: new URL(verdict.replace(/\$(\d)/g, (_, group: string) => found[Number(group)] ?? '')),
  };
}

function isCanonicalUrl(verdict: Verdict): verdict is CanonicalUrl {
  return verdict.startsWith('https://');
}

function plainPath({ pathname }: URL): string {
  return pathname.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1');
}

function keptQuery({ searchParams }: URL, names: readonly string[]): string {
  const kept = names.flatMap((name) => {
    const value = searchParams.get(name);
    return value ? [`${name}=${value}`] : [];
  });
  return kept.length > 0 ? `?${kept.join('&')}` : '';
}
