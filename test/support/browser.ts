/**
 * A real browser for pages: the machine's Chromium, which `./setup --tests` installs; without a window's tabs and bars
 * (its headless shell) where there is one, as they take five times the processor's time of a page.
 */
import { spawnSync } from 'node:child_process';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Hooks, onCleanup } from './cleanup.ts';

/** For each step on a page: the first job of a service also waits for its models, on machines that are busy. */
const stepWithinMs = 150_000;

/** What people use, with its window: for benchmarks. */
export const wholeChromium = installed('chromium');
const lightChromium = installed('chromium-headless-shell') || wholeChromium;

/** For a test's options. */
export const withoutChromium = lightChromium === '' && 'chromium is not here';

function installed(program: string): string {
  return spawnSync('which', [program], { encoding: 'utf8' }).stdout.trim();
}

export function chromiumOptions(
  args: readonly string[] = [],
  executablePath = lightChromium,
): { executablePath: string; args: string[] } {
  // Chromium's own sandbox refuses to run as root.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return { executablePath, args: [...sandbox, ...args] };
}

export async function openBrowser(
  hooks: Hooks,
  args: readonly string[] = [],
  executablePath = lightChromium,
): Promise<Browser> {
  const browser = await chromium.launch(chromiumOptions(args, executablePath));
  onCleanup(hooks, () => browser.close());
  return browser;
}

export interface WatchedPage {
  page: Page;
  /** What the browser complained about: console, scripts, blocked or failed requests, answers that are errors. */
  complaints: string[];
  /** Every origin that a request went to. */
  origins: Set<string>;
}

export async function watchedPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  context.setDefaultTimeout(stepWithinMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
  page.on('requestfailed', (request) => {
    const fault = request.failure()?.errorText;
    // Broken off by the page itself: a player that has read enough, a poll of a page that was left.
    if (['media', 'fetch'].includes(request.resourceType()) && fault === 'net::ERR_ABORTED') return;
    complaints.push(`${fault}: ${request.url()}`);
  });
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  return { page, complaints, origins };
}
