/** The transcript page in a real browser: reading, hearing, editing without loss, taking away, sharing. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { hostileTexts } from '../fixtures/hostile-texts.ts';
import { openBrowser, watchedPage, withoutChromium } from '../support/browser.ts';
import { onCleanup } from '../support/cleanup.ts';
import { conversationWav } from '../support/conversation.ts';
import { withConnection } from '../support/empty-database.ts';
import { streamEvents } from '../support/event-stream.ts';
import { eventually } from '../support/eventually.ts';
import { startService, testEnvironment } from '../support/service.ts';
import { WebClient } from '../support/web-client.ts';
import { assertSound, phone, signedInPage } from '../support/web-page.ts';
import { readTranscript, sendRecording, transcribed } from '../support/web-recording.ts';

const recording = { filename: 'Board meeting.wav', contentType: 'audio/wav', bytes: await conversationWav() };

if (withoutChromium) test('the transcript in a browser', { skip: withoutChromium });
else {
  const environment = await testEnvironment({ after });
  const service = await startService(environment, ['--role', 'api']);
  onCleanup({ after }, () => service.stop());
  const worker = await startService(environment, ['--role', 'worker']);
  onCleanup({ after }, () => worker.stop());
  const browser = await openBrowser({ after });
  // One person and one job for all tests that open it, each in a browser of its own: what a test edits, the next one finds.
  const person = await WebClient.signedIn(service);
  const id = await transcribed(person, recording);
  const opened = async () => {
    const signedIn = await signedInPage(browser, service, { web: person });
    await signedIn.page.goto(`${service.url}/transcripts/${id}`);
    await lines(signedIn.page).first().waitFor();
    return signedIn;
  };
  const saved = (page: Page) => page.locator('.save[data-state=saved]').waitFor();
  const lines = (page: Page) => page.locator('.lines .said');
  const textOf = async (web: WebClient, id: string) =>
    (await readTranscript(web, id)).edition?.segments.map(({ text }) => text) ?? [];

  test('the text appears while it is made, is heard and edited where it is done, and keeps the edits at the end', async () => {
    const signedIn = await signedInPage(browser, service);
    const { page, web } = signedIn;
    const long = { ...recording, bytes: await conversationWav(6) };
    const live = await sendRecording(web, long);
    await page.goto(`${service.url}/transcripts/${live}`);
    await page.getByRole('heading', { name: 'Board meeting' }).waitFor();
    await firstText(web, live);
    // The work stands still, so that all of this is before the end.
    worker.process.kill('SIGSTOP');
    try {
      await page.locator('.said[contenteditable]').first().waitFor();
      await page.getByText('being written').first().waitFor();
      await lines(page).first().fill('Edited before the end.');
      await saved(page);
      await page.locator('audio').waitFor({ state: 'attached' });
      await page.getByRole('button', { name: 'Play', exact: true }).click();
      await eventually(
        async () => ((await page.evaluate('document.querySelector("audio").currentTime')) as number) > 0,
        'sound',
      );
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        await assertSound(signedIn, service);
      }
      await page.locator('.more').first().click();
      await page.getByRole('menu').waitFor();
      await assertSound(signedIn, service);
      await page.keyboard.press('Escape');
      await page.reload();
      await page.getByText('Edited before the end.').waitFor();
      assert.equal((await readTranscript(web, live)).status, 'processing');
      await lines(page).first().click();
    } finally {
      worker.process.kill('SIGCONT');
    }
    await page.getByRole('button', { name: 'Export', exact: true }).waitFor({ timeout: 200_000 });
    const texts = await textOf(web, live);
    assert.equal(texts[0], 'Edited before the end.');
    assert.ok(texts.length > 12, String(texts.length));
    // The page that was open is the same page: the caret is where it was.
    assert.equal(await page.evaluate('document.activeElement.dataset.line'), 'm000000');
    await page.context().close();
  });

  test('the page is sound in every state, wide and narrow, light and dark', async () => {
    const signedIn = await opened();
    const { page } = signedIn;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await assertSound(signedIn, service);
      for (const name of ['Export', 'Share']) {
        await page.getByRole('button', { name, exact: true }).click();
        await page.getByRole('dialog').waitFor();
        await assertSound(signedIn, service);
        await page.keyboard.press('Escape');
      }
      await page.getByRole('button', { name: 'Find', exact: true }).click();
      await assertSound(signedIn, service);
      await page.getByRole('search').getByRole('button', { name: 'Close' }).click();
      await page.locator('.more').first().click();
      await page.getByRole('menu').waitFor();
      await assertSound(signedIn, service);
      for (const name of ['Shift times…', 'Somebody else…']) {
        if (name !== 'Shift times…') await page.locator('.more').first().click();
        await page.getByRole('menuitem', { name }).click();
        await page.getByRole('dialog').waitFor();
        await assertSound(signedIn, service);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    }
    await page.setViewportSize(phone);
    await assertSound(signedIn, service);
    await page.context().close();
  });

  test('the waveform and the sound come from the service; a word is heard by a click, keys move on', async () => {
    const { page, complaints } = await opened();
    const position = () => page.evaluate('document.querySelector("audio").currentTime') as Promise<number>;
    await eventually(
      async () => ((await page.evaluate('document.querySelector("audio").readyState')) as number) > 0,
      'sound',
    );
    await lines(page)
      .nth(1)
      .click({ position: { x: 80, y: 12 } });
    const second = await page.locator('.time').nth(1).textContent();
    assert.ok(second);
    await eventually(async () => (await position()) > 1, 'the sound of the second line');
    await eventually(async () => page.evaluate("CSS.highlights.has('now')"), 'the word that is said');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Pause' }).click();
    const before = await position();
    await page.locator('h1').click();
    await page.keyboard.press('ArrowLeft');
    await eventually(async () => (await position()) < before, 'five seconds before');
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  test('a link with a time opens the recording there', async () => {
    const { page, web } = await opened();
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

  test('a place whose words could not be made out is named and heard', async () => {
    const { page } = await opened();
    await withConnection(environment.LONGHAND_DATABASE_URL ?? '', (client) =>
      client.query('update transcription set unclear = $2 where id = $1', [
        id,
        JSON.stringify([{ startMs: 2000, endMs: 3500 }]),
      ]),
    );
    await page.reload();
    const notice = page.getByText('the words could not be made out');
    await notice.getByRole('button').click();
    await eventually(
      async () => ((await page.evaluate('document.querySelector("audio").currentTime')) as number) >= 2,
      'the place to be heard',
    );
    await page.context().close();
  });

  test('what is typed is saved, undone by keys, split and joined', async () => {
    const { page, web } = await opened();
    const original = await textOf(web, id);
    await lines(page).nth(1).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' More words.');
    await saved(page);
    await eventually(
      async () => (await textOf(web, id))[1] === `${original[1]} More words.`,
      'what was typed',
    );
    await page.keyboard.press('Control+z');
    await eventually(async () => (await textOf(web, id))[1] === original[1], 'the text before');
    await lines(page).nth(0).click();
    await page.keyboard.press('Control+Home');
    for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.keyboard.type('New: ');
    await eventually(async () => (await textOf(web, id)).length === original.length + 1, 'one line more');
    await eventually(
      async () => (await textOf(web, id))[1]?.startsWith('New: '),
      'what was typed at once after the split in the new line',
    );
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Backspace');
    await eventually(async () => (await textOf(web, id)).length === original.length, 'one line less');
    await page.context().close();
  });

  test('edits without a connection are sent when it is back', async () => {
    const { page, web } = await opened();
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

  test('edits of a page that crashed before it could send them are there at the next visit', async () => {
    const { page, web } = await opened();
    await page.route('**/edition/changes', (route) => route.abort());
    await lines(page).nth(0).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' Nearly lost.');
    await page.locator('.save[data-state=kept]').waitFor();
    const next = await page.context().newPage();
    await page.close({ runBeforeUnload: false });
    await next.goto(`${service.url}/transcripts/${id}`);
    await saved(next);
    await eventually(
      async () => / Nearly lost\.$/.test((await textOf(web, id))[0] ?? ''),
      'the edit of the crashed page',
    );
    await next.context().close();
  });

  test('two tabs: each sees the other, and of one line that both changed nothing is lost', async () => {
    const { page, web } = await opened();
    const other = await page.context().newPage();
    await other.goto(`${service.url}/transcripts/${id}`);
    await lines(other).first().waitFor();
    await lines(page).nth(1).click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' From one.');
    await saved(page);
    await other.getByText(/ From one\.$/).waitFor();
    await other.route('**/edition/changes', (route) => route.abort());
    await lines(other).nth(0).fill('The second tab says this.');
    await other.locator('.save[data-state=kept]').waitFor();
    await lines(page).nth(0).fill('The first tab says that.');
    await saved(page);
    await other.unroute('**/edition/changes');
    const conflict = other.getByRole('alert').filter({ hasText: 'another window' });
    await conflict.waitFor();
    await conflict.getByRole('button', { name: 'Keep both' }).click();
    await saved(other);
    await eventually(
      async () => (await textOf(web, id))[0] === 'The first tab says that. The second tab says this.',
      'both texts',
    );
    await page.context().close();
  });

  test('words are found and replaced, and a replacement everywhere is one step to take back', async () => {
    const { page, web } = await opened();
    const original = await textOf(web, id);
    await page.keyboard.press('Control+f');
    await page.getByRole('searchbox', { name: 'Find' }).fill('the');
    await page.getByLabel('Replace by').fill('THE');
    await page.getByRole('button', { name: 'Replace all' }).click();
    await page.getByText(/^Changed lines: \d+$/).waitFor();
    assert.ok((await textOf(web, id)).some((text) => text.includes('THE')));
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => (await textOf(web, id)).join() === original.join(), 'the text before');
    await page.context().close();
  });

  test('a shared link shows the text to anybody until it is taken back, and opens nothing else', async () => {
    const { page, web } = await opened();
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('button', { name: 'Make a link' }).click();
    const link = await page.locator('input[readonly]').inputValue();
    const visitor = await watchedPage(browser, { locale: 'en-GB' });
    const { page: shared } = visitor;
    await shared.goto(link);
    await lines(shared).first().waitFor();
    assert.equal(await shared.locator('[contenteditable]').count(), 0);
    await assertSound(visitor, service);
    await page.getByRole('button', { name: 'Take back' }).click();
    await page.getByRole('button', { name: 'Take back' }).waitFor({ state: 'detached' });
    await shared.reload();
    await shared.getByText('This link has ended').waitFor();
    const token = link.split('/').at(-1) ?? '';
    for (const path of ['transcript', 'words?from_ms=0&to_ms=9', 'peaks', 'media'])
      assert.equal(
        (await new WebClient(service.url).send('GET', `/web/shared/${token}/${path}`)).status,
        404,
      );
    assert.ok((await readTranscript(web, id)).edition);
    await shared.context().close();
    await page.context().close();
  });

  test('200 hostile texts in lines and names are shown as text, and none of them runs', async () => {
    const signedIn = await opened();
    const { page, web, complaints } = signedIn;
    const segments = hostileTexts.map((text, i) => ({
      start: i,
      end: i + 1,
      text: text.trim() || 'x',
      speaker: text.slice(0, 90),
    }));
    const body = { format: 'json', content: JSON.stringify({ segments }) };
    assert.equal((await web.send('POST', `/web/transcriptions/${id}/edition/import`, body)).status, 200);
    await page.reload();
    await lines(page).first().waitFor();
    for (let step = 0; step < 30; step += 1) {
      await page.mouse.wheel(0, 900);
      await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
    }
    const { path } = (
      (await web.send('POST', `/web/transcriptions/${id}/shares`, { days: 1 })).body as {
        data: { path: string };
      }
    ).data;
    const shared = await page.context().newPage();
    await shared.goto(service.url + path);
    await lines(shared).first().waitFor();
    for (const one of [page, shared]) assert.equal(await one.evaluate('typeof globalThis.ran'), 'undefined');
    assert.deepEqual(
      complaints.filter((one) => /^(script|error):/.test(one)),
      [],
    );
    await page.context().close();
  });
}

/** The service says it sooner than a page has drawn it. */
async function firstText({ url, cookie }: WebClient, id: string): Promise<void> {
  const signal = AbortSignal.timeout(120_000);
  const headers = { cookie, 'x-longhand-page': '1' };
  const response = await fetch(`${url}/api/v1/transcriptions/${id}/events`, { headers, signal });
  assert.equal(response.status, 200);
  for await (const { name } of streamEvents(response)) if (name === 'text') return;
  assert.fail('the job ended before there was text');
}
