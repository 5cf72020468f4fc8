/** A person at the web product in a real browser. */
import assert from 'node:assert/strict';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { accessibilityFaults } from './accessibility.ts';
import { type WatchedPage, watchedPage } from './browser.ts';
import type { TestService } from './service.ts';
import { WebClient } from './web-client.ts';

export const wide = { width: 1280, height: 860 };
export const phone = { width: 360, height: 740 };

export interface SignedInPage extends WatchedPage {
  web: WebClient;
}

interface SignedInPageOptions extends BrowserContextOptions {
  accountId?: string;
  plan?: string;
  web?: WebClient;
}

/** A page of the account, a new one unless named, with the session's cookie in place: of `web`, or of a new session. */
export async function signedInPage(
  browser: Browser,
  service: TestService,
  { accountId, plan, web: known, ...options }: SignedInPageOptions = {},
): Promise<SignedInPage> {
  const web = known ?? (await WebClient.signedIn(service, accountId, plan));
  const watched = await watchedPage(browser, { locale: 'en-GB', viewport: wide, ...options });
  const [name = '', value = ''] = web.cookie.split('=');
  await watched.page
    .context()
    .addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: 'Strict' }]);
  return { ...watched, web };
}

/** Nothing for an accessibility checker to find, nothing wider than the window, nothing that the browser complains of. */
export async function assertSound(
  { page, complaints, origins }: WatchedPage,
  service: TestService,
): Promise<void> {
  assert.deepEqual(await accessibilityFaults(page), [], page.url());
  assert.equal(await surplusPixels(page), 0, `nobody scrolls ${page.url()} sideways`);
  assert.deepEqual(complaints, []);
  assert.deepEqual([...origins], [service.url]);
}

async function surplusPixels(page: Page): Promise<number> {
  return (await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )) as number;
}
