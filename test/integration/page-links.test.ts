import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { runProcess } from '../../src/platform/process/subprocess.ts';
import { pageLinks } from '../support/page-links.ts';

/** Which extractor of the installed yt-dlp takes each URL. */
const question = `
import json, sys
from yt_dlp.extractor import gen_extractor_classes
classes = list(gen_extractor_classes())
urls = json.load(sys.stdin)
from yt_dlp.version import __version__
json.dump({'version': __version__, 'found': {url: next(c.ie_key() for c in classes if c.suitable(url)) for url in urls}}, sys.stdout)`;

const extractors: readonly (readonly [host: RegExp, key: RegExp])[] = [
  [/youtube/, /^Youtube(Clip)?$/],
  [/tiktok/, /^TikTok$/],
  [/instagram/, /^Instagram$/],
  [/facebook/, /^Facebook(Reel)?$/],
  [/twitter/, /^Twitter$/],
  [/vimeo/, /^Vimeo$/],
  [/twitch/, /^Twitch(Vod|Clips)$/],
];

test('every canonical link belongs to its site’s own extractor of the installed yt-dlp', async (t) => {
  const canonical = [...new Set(pageLinks.map(([, expected]) => expected))].filter((url) =>
    url.startsWith('https:'),
  );
  const run = await runProcess({
    command: 'python3',
    args: ['-c', question],
    input: JSON.stringify(canonical),
    signal: systemClock.timeout(60_000),
    outputBytesMax: 1_000_000,
  });
  if (run.code !== 0) return t.skip(`yt-dlp cannot be asked through Python: ${run.stderr.slice(-200)}`);
  const { version, found } = JSON.parse(run.stdout.toString('utf8')) as {
    version: string;
    found: Record<string, string>;
  };
  for (const url of canonical) {
    if (version < '2024.02' && url.includes('pfbid')) continue; // Older ones do not know posts of this form.
    const wanted = extractors.find(([host]) => host.test(new URL(url).hostname))?.[1];
    assert.match(found[url] ?? '', wanted ?? /never/, url);
  }
});
