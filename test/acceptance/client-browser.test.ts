/** The client in a web page: bundled by Vite, run by Chromium, against a real service on both storages. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { UploadState } from 'longhand-client';
import type { Page } from 'playwright-core';
import { newClient } from '../support/api-client.ts';
import { openBrowser, type WatchedPage, watchedPage, withoutChromium } from '../support/browser.ts';
import { bundledPage, developerServer, type PageGlobals } from '../support/bundled-page.ts';
import { eventually } from '../support/eventually.ts';
import { createTestBucket, s3ClientFor, skipWithoutS3 } from '../support/s3-server.ts';
import { runService } from '../support/service.ts';
import { wavOf } from '../support/wav-bytes.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const mebibyte = 1024 * 1024;
/** Silence: three parts. */
const longBytes = 37 * mebibyte;
const longHeader = [...wavOf(Buffer.alloc(longBytes)).subarray(0, 44)];
/** As docs/uploads.md has it. */
const corsRules = [
  {
    AllowedOrigins: ['*'],
    AllowedMethods: ['PUT'],
    AllowedHeaders: ['*'],
    ExposeHeaders: ['ETag'],
    MaxAgeSeconds: 3600,
  },
];

const page = withoutChromium ? '' : await bundledPage({ after });
const browser = withoutChromium ? undefined : await openBrowser({ after });

for (const storage of ['local', 's3'] as const) {
  const skip = withoutChromium || (storage === 's3' && skipWithoutS3);
  describe(`the client in Chromium on ${storage}`, { skip }, () => {
    const endings: (() => Promise<void>)[] = [];
    const hooks = { after: (ending: () => Promise<void>) => void endings.push(ending) };
    let address: string;

    before(async () => {
      const bucket = storage === 's3' ? await createTestBucket(hooks) : undefined;
      if (bucket)
        await s3ClientFor(bucket).putBucketCors({
          Bucket: bucket.bucket,
          CORSConfiguration: { CORSRules: corsRules },
        });
      const service = await runService(hooks, {
        LONGHAND_STORAGE: storage,
        LONGHAND_MULTIPART_THRESHOLD: String(20 * mebibyte),
        ...(bucket && {
          LONGHAND_S3_ENDPOINT: bucket.endpoint ?? '',
          LONGHAND_S3_REGION: bucket.region,
          LONGHAND_S3_BUCKET: bucket.bucket,
          LONGHAND_S3_ACCESS_KEY_ID: bucket.accessKeyId,
          LONGHAND_S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
          LONGHAND_S3_FORCE_PATH_STYLE: 'true',
        }),
      });
      const { key = '' } = await newClient(service);
      address = await developerServer(hooks, { page, service: service.url, key });
    });
    after(async () => {
      for (const ending of endings.toReversed()) await ending();
    });

    test('a file is sent across origins and comes back as text while it is made', async () => {
      const { page: tab, complaints, origins } = await openTab();
      await tab.goto(address);
      const bytes = (await readFile(austen)).toString('base64');
      const seen = await tab.evaluate(async (base64) => {
        const { longhand, srt } = globalThis as unknown as PageGlobals;
        const content = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
        let read = '';
        const sent: number[] = [];
        const job = await longhand.transcriptions.transcribe(new File([content], 'austen.flac'), {
          upload: { onProgress: ({ bytesSent }) => sent.push(bytesSent) },
          onText: ({ text }) => {
            read += text;
          },
        });
        return { text: job.text, read, srt: srt(job.segments), sent: sent.at(-1), size: content.length };
      }, bytes);
      assert.match(seen.text, /young man/i);
      assert.equal(seen.read, seen.text);
      assert.match(seen.srt, /^1\n00:00:0/);
      assert.equal(seen.sent, seen.size);
      assert.equal(origins.size, 2, 'the page and the storage, nothing else');
      assert.deepEqual(complaints, []);
    });

    test('an upload in parts goes on after a reload with the parts that are missing', async () => {
      const { page: tab } = await openTab();
      let puts = 0;
      const stored: string[] = [];
      const isPut = (url: URL) => !url.href.startsWith(address);
      await tab.route(isPut, async (route) => {
        // The third part never leaves; the page is left while it waits.
        if (route.request().method() === 'PUT' && ++puts === 3) return;
        await route.continue();
      });
      tab.on('response', (response) => {
        if (response.request().method() === 'PUT' && response.ok()) stored.push(response.url());
      });
      await tab.goto(address);
      const state = await begin(tab);
      await eventually(() => stored.length === 2 && puts === 3, 'two parts to be stored');
      await tab.reload();
      const second = stored.length;
      const { size, first } = await tab.evaluate(
        async ([header, length, resumeFrom]) => {
          const { longhand } = globalThis as unknown as PageGlobals;
          const file = new File([new Uint8Array(header), new Uint8Array(length)], 'long.wav');
          const sent: number[] = [];
          const upload = await longhand.uploads.upload(file, {
            resumeFrom,
            onProgress: ({ bytesSent }) => sent.push(bytesSent),
          });
          await longhand.transcriptions.create({ upload });
          return { size: upload.size, first: sent[0] ?? 0 };
        },
        [longHeader, longBytes, state] as const,
      );
      assert.equal(size, longBytes + 44);
      assert.ok(first >= 16 * mebibyte, 'what is stored counts from the start');
      assert.equal(stored.length - second, 1, 'only the missing part is sent');
    });
  });
}

async function openTab(): Promise<WatchedPage> {
  if (!browser) throw new Error('there is no browser');
  return await watchedPage(browser);
}

/** Begins to send the long file and gives what the page would keep. */
async function begin(tab: Page): Promise<UploadState> {
  return await tab.evaluate(
    ([header, length]) => {
      const { longhand } = globalThis as unknown as PageGlobals;
      const file = new File([new Uint8Array(header), new Uint8Array(length)], 'long.wav');
      return new Promise<UploadState>((resolve, reject) => {
        longhand.uploads.upload(file, { parallel: 3, onState: resolve }).catch(reject);
      });
    },
    [longHeader, longBytes] as const,
  );
}
