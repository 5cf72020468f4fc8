/** The pages in a real browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from '../support/accessibility.ts';
import { newClient } from '../support/api-client.ts';
import { openBrowser, watchedPage, withoutChromium } from '../support/browser.ts';
import { runService } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const wide = { width: 1280, height: 860 };
const phone = { width: 390, height: 844 };

/** Nothing is started where no test can run. */
async function started() {
  const service = await runService({ after });
  return { service, client: await newClient(service), browser: await openBrowser({ after }) };
}

if (withoutChromium) test('the pages in a browser', { skip: withoutChromium });
else pageTests(await started());

function pageTests({ service, client, browser }: Awaited<ReturnType<typeof started>>): void {
  async function giveKey(page: Page): Promise<void> {
    await page.getByLabel('Your API key').fill(client.key ?? '');
    await page.getByRole('button', { name: 'Use it here' }).click();
  }

  for (const path of ['/', '/docs']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const viewport of [wide, phone]) {
        test(`${path} is whole, ${colorScheme}, ${viewport.width} pixels wide, and asks no other host`, async () => {
          const { page, complaints, origins } = await watchedPage(browser, { colorScheme, viewport });
          await page.goto(service.url + path, { waitUntil: 'networkidle' });
          assert.deepEqual(await accessibilityFaults(page), []);
          const surplus = await page.evaluate(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          assert.equal(surplus, 0, 'nobody scrolls sideways');
          assert.deepEqual(complaints, []);
          assert.deepEqual([...origins], [service.url]);
          await page.context().close();
        });
      }
    }
  }

  test('the key survives a reload, stays in its tab, and is forgotten when asked', async () => {
    const { page } = await watchedPage(browser);
    await page.goto(`${service.url}/docs`);
    await giveKey(page);
    await page.reload();
    assert.equal(await page.getByLabel('Your API key').inputValue(), client.key);
    const other = await page.context().newPage();
    await other.goto(`${service.url}/docs`);
    assert.equal(await other.getByLabel('Your API key').inputValue(), '');
    await page.getByRole('button', { name: 'Forget it' }).click();
    await page.reload();
    assert.equal(await page.getByLabel('Your API key').inputValue(), '');
    await page.context().close();
  });

  test('a form sends its request with the key and shows the answer', async () => {
    const { page, complaints } = await watchedPage(browser);
    await page.goto(`${service.url}/docs`);
    const list = page.locator('#listTranscriptions .try');
    await list.locator('summary').click();
    await list.getByRole('button', { name: 'Send' }).click();
    await list.getByText('Give your API key at the top of the page first.').waitFor();
    await giveKey(page);
    await list.getByRole('button', { name: 'Send' }).click();
    await list.getByText('200 OK').waitFor();
    assert.match((await list.locator('output').textContent()) ?? '', /x-request-id: .*"data": \[\]/s);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('an event stream is shown as it comes, to its end', async () => {
    const upload = await client.upload('quiet.wav', wavBytes(1, 0));
    const { body } = await client.post('/api/v1/transcriptions', { upload });
    const { page, complaints } = await watchedPage(browser);
    await page.goto(`${service.url}/docs`);
    await giveKey(page);
    const follow = page.locator('#followTranscription .try');
    await follow.locator('summary').click();
    await follow.getByLabel('id', { exact: true }).fill(body.data.id);
    await follow.getByRole('button', { name: 'Send' }).click();
    await follow.getByText('event: completed').waitFor();
    // Chromium tells its debugger that a body which was read piece by piece was aborted, also when it was read to its end.
    assert.deepEqual(
      complaints.filter((one) => !one.startsWith('net::ERR_ABORTED')),
      [],
    );
    await page.context().close();
  });

  test('an error is shown as the API gives it', async () => {
    const { page } = await watchedPage(browser);
    await page.goto(`${service.url}/docs`);
    await giveKey(page);
    const list = page.locator('#listTranscriptions .try');
    await list.locator('summary').click();
    await list.getByLabel('limit').fill('0');
    await list.getByRole('button', { name: 'Send' }).click();
    await list.getByText('400 Bad Request').waitFor();
    assert.match((await list.locator('output').textContent()) ?? '', /"code": "invalid_limit"/);
    await page.context().close();
  });

  test('copied lines hold the key that was given, and no other mark', async () => {
    const { page } = await watchedPage(browser);
    await page.goto(`${service.url}/docs`);
    await giveKey(page);
    const first = page.locator('#start .code').first();
    await first.getByRole('button', { name: 'Copy' }).click();
    await first.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    assert.equal(copied, `KEY='${client.key}'\nFILE='talk.mp3'   # any recording of yours`);
    await page.context().close();
  });

  test('on a phone the contents open over the page and close when something is chosen', async () => {
    const { page } = await watchedPage(browser, { viewport: phone });
    await page.goto(`${service.url}/docs`);
    const contents = page.getByRole('navigation', { name: 'Contents' });
    assert.equal(await contents.isVisible(), false);
    await page.getByRole('button', { name: 'Contents' }).click();
    await contents.getByRole('link', { name: 'Limits' }).click();
    await contents.waitFor({ state: 'hidden' });
    assert.equal(new URL(page.url()).hash, '#limits');
    await page.context().close();
  });
}
