/**
 * The web product in a real browser: its first load on a slow line, the transcript of ten hours, and the first words of
 * an hour. `npm run bench -- web [pages] [words]`; without a part, both.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { openBrowser, wholeChromium } from '../test/support/browser.ts';
import { startService, type TestService } from '../test/support/service.ts';
import { newAccount, type WebClient } from '../test/support/web-client.ts';
import { signedInPage } from '../test/support/web-page.ts';
import { transcribed } from '../test/support/web-recording.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { firstWordsInBrowser } from './web/first-words.ts';

const recording = join(import.meta.dirname, '..', 'test', 'fixtures', 'austen-880.flac');
const firstLoadBytesMax = 100_000;
const largestPaintMsMax = 2_000;
const lineBytesPerSecond = 1_600_000 / 8;
const processorSlowdown = 4;
const loads = 3;
const linesInTenHours = 10_000;
const memoryBytesMax = 250_000_000;
const frameMsMax = 50;
const scrolls = 200;
const typed = 'It is a truth universally acknowledged, that a long transcript must be pleasant to edit. ';

/** The browser tells frames of 50 ms and more; the longest pause between two frames also counts others' work. */
const watchFrames = `
  globalThis.longest = { frame: 0, pause: 0 };
  let last = performance.now();
  const tick = (now) => { longest.pause = Math.max(longest.pause, now - last); last = now; requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest.frame = Math.max(longest.frame, duration);
  }).observe({ type: 'long-animation-frame', buffered: false });
`;
const largestPaint = `new Promise((done) => {
  new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true });
})`;

export async function run(args: string[]): Promise<Benchmark> {
  const isWanted = (part: string) => args.length === 0 || args.includes(part);
  const dataDir = await mkdtemp(join(tmpdir(), 'longhand-bench-'));
  const endings: (() => unknown)[] = [() => rm(dataDir, { recursive: true, force: true })];
  const hooks = { after: (end: () => unknown) => void endings.push(end) };
  try {
    const environment = {
      PATH: process.env.PATH ?? '',
      LONGHAND_PORT: '0',
      LONGHAND_DATA_DIR: dataDir,
      LONGHAND_LOG_LEVEL: 'warn',
      LONGHAND_RATE_REQUESTS: '1000000',
    };
    const service = await startService(environment);
    endings.push(() => service.stop());
    const browser = await openBrowser(hooks, [], wholeChromium);
    const accountId = await newAccount(service.environment);
    const { page, web } = await signedInPage(browser, service, { accountId });
    const rows: BenchmarkRow[] = [];
    // First: its models are not loaded yet, as in a service that nobody used before.
    if (isWanted('words')) rows.push(await firstWordsInBrowser(service, page, web, dataDir));
    if (isWanted('pages')) {
      const id = await tenHours(web);
      rows.push(...(await firstLoad(browser, service, accountId)));
      rows.push(...(await longTranscript(service, page, id)));
    }
    return { title: 'The web product', rows };
  } finally {
    for (const end of endings.toReversed()) await end();
  }
}

/** A short recording with the lines of a long one. */
async function tenHours(web: WebClient): Promise<string> {
  const bytes = await readFile(recording);
  const id = await transcribed(web, { filename: 'Ten hours.flac', contentType: 'audio/flac', bytes });
  const segments = Array.from({ length: linesInTenHours }, (_, i) => ({
    start: 3.6 * i,
    end: 3.6 * i + 3.4,
    text: `Line ${i} says ${'what was said '.repeat(1 + (i % 9))}and ends.`,
    speaker: `Speaker ${i % 7 < 4 ? 'A' : 'B'}`,
  }));
  const body = { format: 'json', content: JSON.stringify({ segments }) };
  const { status } = await web.send('POST', `/web/transcriptions/${id}/edition/import`, body);
  if (status !== 200) throw new Error(`the import answered ${status}`);
  return id;
}

/** The library with an empty cache, on a slow line and a slow processor. */
async function firstLoad(browser: Browser, service: TestService, accountId: string): Promise<BenchmarkRow[]> {
  const paints: number[] = [];
  let bytes = 0;
  for (let load = 0; load < loads; load += 1) {
    const { page } = await signedInPage(browser, service, { accountId });
    const devtools = await page.context().newCDPSession(page);
    const line = { downloadThroughput: lineBytesPerSecond, uploadThroughput: lineBytesPerSecond };
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', { offline: false, latency: 0, ...line });
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: processorSlowdown });
    let loaded = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
      loaded += encodedDataLength;
    });
    await page.goto(service.url);
    await page.locator('.ledger li').first().waitFor();
    await idle(page);
    paints.push((await page.evaluate(largestPaint)) as number);
    bytes = Math.max(bytes, loaded);
    await page.context().close();
  }
  const paintMs = Math.round(paints.toSorted((a, b) => a - b)[Math.floor(loads / 2)] ?? Number.NaN);
  return [
    {
      figure: 'first load of the library, all requests, compressed',
      value: `${Math.round(bytes / 1000)} kB`,
      bar: 'at most 100 kB',
      passed: bytes <= firstLoadBytesMax,
    },
    {
      figure: 'its largest contentful paint, processor 4× slower, 1.6 Mb/s',
      value: `${paintMs} ms (median of ${loads})`,
      bar: 'under 2 s',
      passed: paintMs < largestPaintMsMax,
    },
  ];
}

async function longTranscript(service: TestService, page: Page, id: string): Promise<BenchmarkRow[]> {
  const began = performance.now();
  await page.goto(`${service.url}/transcripts/${id}`);
  await page.locator('.lines .said').first().waitFor();
  const shownMs = performance.now() - began;
  const devtools = await page.context().newCDPSession(page);
  await idle(page);
  await page.evaluate(watchFrames);
  for (let i = 0; i < scrolls; i += 1) await page.mouse.wheel(0, i % 10 === 9 ? 20_000 : 900);
  await idle(page);
  const scrolled = await longest(page);
  await page.locator('.lines .said').nth(10).click();
  await page.evaluate('longest.frame = longest.pause = 0');
  await page.keyboard.type(typed, { delay: 15 });
  await page.locator('.save[data-state=saved]').waitFor();
  const typing = await longest(page);
  const memory = await heapBytes(devtools);
  return [
    { figure: 'ten hours: lines shown after', value: `${Math.round(shownMs)} ms` },
    frameRow('ten hours: longest frame while scrolling', scrolled),
    frameRow('ten hours: longest frame while typing', typing),
    {
      figure: 'ten hours: memory of the page (scripts and document)',
      value: `${Math.round(memory / 1e6)} MB`,
      bar: 'under 250 MB',
      passed: memory < memoryBytesMax,
    },
  ];
}

interface Longest {
  frame: number;
  pause: number;
}

function frameRow(figure: string, { frame, pause }: Longest): BenchmarkRow {
  const shown = frame === 0 ? `under ${frameMsMax} ms` : `${frame} ms`;
  return {
    figure,
    value: `${shown} (longest pause between frames ${pause} ms)`,
    bar: `under ${frameMsMax} ms`,
    passed: frame < frameMsMax,
  };
}

async function idle(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestIdleCallback(done, { timeout: 2000 }))');
}

async function longest(page: Page): Promise<Longest> {
  const { frame, pause } = (await page.evaluate('longest')) as Longest;
  return { frame: Math.round(frame), pause: Math.round(pause) };
}

/** Of all the page holds in the engine; after a collection, as the browser would do under pressure. */
async function heapBytes(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.enable');
  await devtools.send('HeapProfiler.collectGarbage');
  const {
    usedSize,
    embedderHeapUsedSize = 0,
    backingStorageSize = 0,
  } = (await devtools.send('Runtime.getHeapUsage')) as {
    usedSize: number;
    embedderHeapUsedSize?: number;
    backingStorageSize?: number;
  };
  return usedSize + embedderHeapUsedSize + backingStorageSize;
}
