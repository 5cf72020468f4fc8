/** Recordings that come in by other ways, in a real browser, on S3: straight to the store, the microphone, a phone's share menu, the clipboard. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client } from 'pg';
import type { Page } from 'playwright-core';
import { openBrowser, withoutChromium } from '../support/browser.ts';
import { onCleanup } from '../support/cleanup.ts';
import { conversationWav } from '../support/conversation.ts';
import { eventually } from '../support/eventually.ts';
import { createTestBucket, s3ClientFor, s3Environment, skipWithoutS3 } from '../support/s3-server.ts';
import { runService } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';
import { signedInPage } from '../support/web-page.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const busyMs = 180_000;
/** A second of silence, for a script of the page. */
const second = `new Uint8Array([${[...wavBytes(1, 0).subarray(0, 44)]}]), new Uint8Array(${wavBytes(1, 0).length - 44})`;
/** As docs/uploads.md has it. */
const corsRule = {
  AllowedOrigins: ['*'],
  AllowedMethods: ['PUT'],
  AllowedHeaders: ['*'],
  ExposeHeaders: ['ETag'],
  MaxAgeSeconds: 3600,
};

async function started() {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-spoken-'));
  onCleanup({ after }, () => rm(directory, { recursive: true, force: true }));
  const spoken = join(directory, 'spoken.wav');
  await writeFile(spoken, await conversationWav(1));
  const bucket = await createTestBucket({ after });
  await s3ClientFor(bucket).putBucketCors({
    Bucket: bucket.bucket,
    CORSConfiguration: { CORSRules: [corsRule] },
  });
  const settings = { ...s3Environment(bucket), LONGHAND_MULTIPART_THRESHOLD: '17000000' };
  const service = await runService({ after }, settings);
  const browser = await openBrowser({ after }, [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${spoken}`,
  ]);
  return { service, browser, store: bucket.endpoint ?? '' };
}

if (withoutChromium || skipWithoutS3)
  test('uploads in a browser on S3', { skip: withoutChromium || skipWithoutS3 });
else uploadTests(await started());

function uploadTests({ service, browser, store }: Awaited<ReturnType<typeof started>>): void {
  const entry = (page: Page, name: string | RegExp) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
  const done = (page: Page, name: string | RegExp) =>
    entry(page, name).locator('article.completed').waitFor({ timeout: busyMs });

  test('one PUT, then parts with a pause: bytes go straight to the store, and its sound is heard', async () => {
    const { page, complaints, origins } = await signedInPage(browser, service);
    await page.goto(service.url);
    await page.setInputFiles('input[type=file]', austen);
    await done(page, 'austen-880.flac');
    const parts: string[] = [];
    let isHeld = true;
    await page.route(`${store}/**`, async (route) => {
      const part = new URL(route.request().url()).searchParams.get('partNumber');
      if (part !== null) parts.push(part);
      if (isHeld && part === '2') return;
      await route.continue();
    });
    const buffer = Buffer.from(wavBytes(560, 0));
    await page.setInputFiles('input[type=file]', { name: 'long.wav', mimeType: 'audio/wav', buffer });
    await eventually(() => parts.includes('2'), 'the second part', busyMs);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/^Paused · /).waitFor();
    isHeld = false;
    await page.getByRole('button', { name: 'Go on' }).click();
    await entry(page, 'long.wav')
      .locator('article.processing, article.completed')
      .waitFor({ timeout: busyMs });
    await page.getByRole('link', { name: 'austen-880.flac' }).click();
    await page.locator('.lines .said').first().waitFor();
    await eventually(
      async () => ((await page.evaluate('document.querySelector("audio").readyState')) as number) > 0,
      'sound from the store',
    );
    await page.locator('.player canvas').first().waitFor();
    assert.deepEqual([...origins].toSorted(), [service.url, new URL(store).origin].toSorted());
    assert.deepEqual(
      complaints.filter((one) => !one.startsWith('net::ERR_ABORTED')),
      [],
    );
    await page.context().close();
  });

  test('what the microphone hears is recorded with a pause, sent, and becomes text', async () => {
    const { page, web } = await signedInPage(browser, service, { permissions: ['microphone'] });
    await page.goto(service.url);
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    await page.getByRole('status').getByText('Recording').waitFor();
    await page.getByText('0:05').waitFor({ timeout: busyMs });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Recording paused').waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('0:07').waitFor({ timeout: busyMs });
    await page.getByRole('button', { name: 'Stop and transcribe' }).click();
    await done(page, /^Recording /);
    const { body } = await web.send('GET', '/api/v1/transcriptions');
    const job = await web.send('GET', `/api/v1/transcriptions/${body.data[0].id}`);
    assert.match(job.body.data.text, /[a-z]{3,}/);
    await page.context().close();
  });

  test('a recording and a link that another app shares, and pasted ones, are taken', async () => {
    const { page, web } = await signedInPage(browser, service);
    await page.goto(service.url);
    await page.evaluate('navigator.serviceWorker.ready.then(() => 1)');
    await page.reload();
    await eventually(
      async () => (await page.evaluate('navigator.serviceWorker.controller !== null')) as boolean,
      'the service worker',
    );
    // As the browser posts what a phone's share menu gives it.
    await page.evaluate(`(() => {
      const form = document.createElement('form');
      Object.assign(form, { method: 'post', enctype: 'multipart/form-data', action: '/share' });
      form.innerHTML = '<input name="text"><input type="file" name="recording">';
      form.elements.text.value = 'Look: https://videos.invalid/talk.mp4';
      const files = new DataTransfer();
      files.items.add(new File([${second}], 'shared.wav', { type: 'audio/wav' }));
      form.elements.recording.files = files.files;
      document.body.append(form);
      form.submit();
    })()`);
    await entry(page, 'shared.wav').waitFor({ timeout: busyMs });
    assert.equal(
      await page.getByLabel('Links to recordings or videos').inputValue(),
      'https://videos.invalid/talk.mp4',
    );
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([${second}], 'pasted.wav', { type: 'audio/wav' }));
      document.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    })()`);
    await entry(page, 'pasted.wav').waitFor({ timeout: busyMs });
    await eventually(
      async () => (await web.send('GET', '/api/v1/transcriptions')).body.data.length === 2,
      'both jobs',
      busyMs,
    );
    await page.context().close();
  });

  test('a library of three thousand is scrolled to its end with few rows in the document', async () => {
    const { page, web } = await signedInPage(browser, service);
    const { account } = (await web.send('GET', '/web/session')).body.data;
    const database = new Client({ connectionString: service.environment.LONGHAND_DATABASE_URL });
    await database.connect();
    await database.query(
      `insert into transcription (id, account_id, filename, status, source, options, finished_at, duration_seconds, text, segments)
       select gen_random_uuid(), $1, 'Talk ' || i || '.mp3', 'completed', '{"kind":"url","url":"https://example.com/a.mp3"}', '{}', now(), 9, 'Said.', '[]'
       from generate_series(1, 3000) as i`,
      [account.id],
    );
    await database.end();
    await page.goto(service.url);
    await entry(page, 'Talk 3000.mp3').waitFor();
    const rows = page.locator('.ledger > li');
    await eventually(
      async () => {
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
        return (await entry(page, 'Talk 1.mp3').count()) === 1;
      },
      'the oldest entry',
      busyMs,
    );
    assert.ok((await rows.count()) < 100);
    await page.context().close();
  });
}
