/** The transcript page in a real browser: opened at a time, edited, and edited offline. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openBrowser, withoutChromium } from '../support/browser.ts';
import { conversationWav } from '../support/conversation.ts';
import { eventually } from '../support/eventually.ts';
import { runService } from '../support/service.ts';
import type { WebClient } from '../support/web-client.ts';
import { signedInPage } from '../support/web-page.ts';
import { readTranscript, transcribed } from '../support/web-recording.ts';

const recording = { filename: 'Board meeting.wav', contentType: 'audio/wav', bytes: await conversationWav() };

if (withoutChromium) test('the transcript in a browser', { skip: withoutChromium });
else {
  const service = await runService({ after });
  const browser = await openBrowser({ after });
  const opened = async (options: Parameters<typeof signedInPage>[2] = {}) => {
    const signedIn = await signedInPage(browser, service, options);
    const id = await transcribed(signedIn.web, recording);
    await signedIn.page.goto(`${service.url}/transcripts/${id}`);
    await lines(signedIn.page).first().waitFor();
    return { ...signedIn, id };
  };
  const saved = (page: Page) => page.locator('.save[data-state=saved]').waitFor();
  const lines = (page: Page) => page.locator('.lines .said');
  const textOf = async (web: WebClient, id: string) =>
    (await readTranscript(web, id)).edition?.segments.map(({ text }) => text) ?? [];

  test('a link with a time opens the recording there', async () => {
    const { page, web, id } = await opened();
    const segments = (await readTranscript(web, id)).edition?.segments ?? [];
    const seconds = Math.floor((segments.at(-1)?.start_ms ?? 0) / 1000) + 1;
    await page.goto(`${service.url}/transcripts/${id}?t=${seconds}`);
    await lines(page).first().waitFor();
    await eventually(
      async () =>
        ((await page.evaluate('document.querySelector("audio").currentTime')) as number) === seconds,
      'the time of the link',
    );
    await page.context().close();
  });

  test('what is typed is saved, undone by keys, split and joined', async () => {
    const { page, web, id } = await opened();
    const original = await textOf(web, id);
    await lines(page).nth(1).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' More words.');
    await saved(page);
    assert.equal((await textOf(web, id))[1], `${original[1]} More words.`);
    await page.keyboard.press('Control+z');
    await eventually(async () => (await textOf(web, id))[1] === original[1], 'the text before');
    await lines(page).nth(0).click();
    await page.keyboard.press('Control+Home');
    for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await eventually(async () => (await textOf(web, id)).length === original.length + 1, 'one line more');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Backspace');
    await eventually(async () => (await textOf(web, id)).length === original.length, 'one line less');
    await page.context().close();
  });

  test('edits without a connection are sent when it is back', async () => {
    const { page, web, id } = await opened();
    await page.context().setOffline(true);
    await lines(page).nth(0).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' Offline words.');
    await page.locator('.save[data-state=kept]').waitFor();
    await page.context().setOffline(false);
    await saved(page);
    assert.match((await textOf(web, id))[0] ?? '', / Offline words\.$/);
    await page.context().close();
  });
}
