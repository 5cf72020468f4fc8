/** Links that must fail, through the real yt-dlp against a site on loopback: how each ends and what it costs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createEgress } from '../../src/egress/egress.ts';
import { nothingAllowed } from '../../src/egress/url.ts';
import { MediaFailure } from '../../src/media/media-failure.ts';
import { createSources } from '../../src/media/resolve.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { type Answer, file, mediaSite, page, redirect, status } from '../../test/fixtures/media-site.ts';
import { sandbox } from '../../test/support/sandbox.ts';

const video = (address: string) => page('A page', `<video src="${address}"></video>`);
const list = (address: string) =>
  file(Buffer.from(`#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n${address}\n#EXT-X-ENDLIST\n`));

const links: Record<string, Answer> = {
  'a redirect to loopback': redirect('http://127.0.0.1:22/a.mp3'),
  'a redirect to cloud metadata': redirect('http://169.254.169.254/latest/meta-data/'),
  'a redirect to a file': redirect('file:///etc/passwd'),
  'redirects in a circle': redirect('/'),
  'an endless body': (_request, response) => {
    const push = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 0xff)));
      if (!response.destroyed) response.once('drain', push);
    };
    response.write(Buffer.from('494433040000000000005249', 'hex'));
    push();
  },
  'a page with two videos': page('Two', '<video src="/a.mp4"></video><video src="/b.mp4"></video>'),
  'a page with a video on loopback': video('http://127.0.0.1:22/a.mp4'),
  'a page with a video on a private address': video('https://10.0.0.1/a.mp4'),
  'a page with a file of the machine': video('file:///etc/passwd'),
  'a playlist of a file': list('file:///etc/passwd'),
  'a playlist of loopback': list('http://127.0.0.1:22/x.ts'),
  'a page with nothing': page('Nothing', '<p>text</p>'),
  'a server that refuses': status(403),
};

export interface EndedLink {
  name: string;
  end: string;
}

/** `measure` wraps each link and knows the folder that its programs work in. */
export async function hostileLinks<Measured>(
  root: string,
  measure: (work: () => Promise<string>, directory: string) => Promise<Measured>,
): Promise<(EndedLink & { measured: Measured })[]> {
  await using site = await mediaSite();
  const clock: Clock = { ...systemClock, sleep: async () => {} };
  const egress = createEgress({ allow: nothingAllowed, clock: systemClock, ...site.network });
  const sources = createSources({ egress, clock, ytdlp: ['yt-dlp'], sandbox });
  const ended: (EndedLink & { measured: Measured })[] = [];
  for (const [name, answer] of Object.entries(links)) {
    site.answers.set('/', answer);
    const directory = await mkdtemp(join(root, 'link-'));
    let end = '';
    const measured = await measure(async () => {
      end = await sources
        .acquireSource('http://links.example.com/', {
          directory,
          sizeBytesMax: 2 ** 28,
          durationSecondsMax: 3_600,
        })
        .then(
          () => 'fine',
          (error: unknown) => (error instanceof MediaFailure ? error.code : String(error)),
        );
      return end;
    }, directory);
    ended.push({ name, end, measured });
    await rm(directory, { recursive: true, force: true });
  }
  return ended;
}
