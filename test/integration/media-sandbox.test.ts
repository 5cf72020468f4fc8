import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { createMedia } from '../../src/media/media.ts';
import { MediaFailure } from '../../src/media/media-failure.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { findSandbox, runProcess } from '../../src/platform/subprocess.ts';
import { mediaFolder } from '../fixtures/media-files.ts';

const bubblewrap = await findSandbox('bwrap', clock.timeout(10_000));
const skip = bubblewrap ? false : 'bubblewrap is not installed or may not make namespaces here';

test('a missing sandbox is found out, not believed in', async () => {
  assert.equal(await findSandbox('/nonexistent/bwrap', clock.timeout(10_000)), undefined);
});

test('inside the sandbox media decode as outside', { skip }, async () => {
  await using folder = await mediaFolder();
  const lengths = [];
  for (const sandbox of [undefined, bubblewrap]) {
    const media = createMedia({ ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', bubblewrap: sandbox, clock });
    const decoded = media.decode(await folder.encode('mp4'), { durationSecondsMax: 60 });
    for await (const _samples of decoded.audio);
    lengths.push((await decoded.finished).samples);
  }
  assert.equal(lengths[0], lengths[1]);
  const media = createMedia({ ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', bubblewrap, clock });
  await assert.rejects(media.probe(join(import.meta.dirname, 'media-sandbox.test.ts')), MediaFailure);
});

test('inside the sandbox there are no other files, no writing and no network', { skip }, async () => {
  await using folder = await mediaFolder();
  let visits = 0;
  const victim = createServer(() => {
    visits += 1;
  });
  await new Promise<void>((resolve) => victim.listen(0, '127.0.0.1', resolve));
  const { port } = victim.address() as { port: number };
  const inside = (script: string) =>
    runProcess({
      command: 'bash',
      args: ['-c', script],
      sandbox: { command: bubblewrap ?? '', readable: [folder.speech] },
      signal: clock.timeout(20_000),
      outputBytesMax: 1_000_000,
    });
  assert.equal((await inside(`test -r ${folder.speech}`)).code, 0);
  assert.notEqual((await inside('cat /etc/passwd')).code, 0);
  assert.notEqual((await inside(`ls ${import.meta.dirname}`)).code, 0);
  assert.notEqual((await inside(`echo x > ${folder.speech}`)).code, 0);
  assert.notEqual((await inside(`echo x > /dev/tcp/127.0.0.1/${port}`)).code, 0);
  victim.close();
  assert.equal(visits, 0);
});
