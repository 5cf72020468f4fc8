/** An upload of an hour by a person in a browser: how soon its first words stand on the page. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { TestService } from '../../test/support/service.ts';
import type { WebClient } from '../../test/support/web-client.ts';
import type { BenchmarkRow } from '../run.ts';
import { longRecording } from '../speech/material.ts';
import { recordings } from '../speech/recordings.ts';

const minutes = 60;
const firstWordsMsMax = 15_000;
/** So that a figure that misses its bar is still one. */
const waitMsMax = 180_000;

/** From the end of the last transfer: what comes after it, the click on the new entry included, is the person's wait. */
export async function firstWordsInBrowser(
  service: TestService,
  page: Page,
  web: WebClient,
  directory: string,
): Promise<BenchmarkRow> {
  const wav = longRecording(recordings(), minutes, join(directory, 'hour.wav')).file;
  const file = join(directory, 'An hour.mp3');
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', wav, '-b:a', '64k', file]);
  await page.goto(service.url);
  let transferredAt = Number.NaN;
  page.on('requestfinished', (request) => {
    if (request.method() === 'PUT') transferredAt = performance.now();
  });
  await page.setInputFiles('input[type=file]', file);
  await page.locator('.entry').getByRole('link', { name: 'An hour.mp3' }).click({ timeout: waitMsMax });
  await page.locator('.lines .said').first().waitFor({ timeout: waitMsMax });
  const shownMs = performance.now() - transferredAt;
  // What is measured next has the processor to itself.
  await web.send('DELETE', `/web/library/${new URL(page.url()).pathname.split('/').at(-1)}`);
  return {
    figure: 'an hour as MP3: first words on the page after the end of its upload',
    value: `${(shownMs / 1000).toFixed(1)} s`,
    bar: 'within 15 s',
    passed: shownMs <= firstWordsMsMax,
  };
}
