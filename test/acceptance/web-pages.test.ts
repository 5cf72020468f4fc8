/** The web product in a real browser: signing in, the library, new transcriptions. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openBrowser, watchedPage, withoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { longhand, runService, type TestService } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';
import { newAccount, signInToken, WebClient } from '../support/web-client.ts';
import { assertSound, phone, signedInPage, wide } from '../support/web-page.ts';
import { answerWith, openReceiver } from '../support/webhook-receiver.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');

async function started() {
  // Small parts: an upload of a few megabytes is one in parts.
  const missing = await openReceiver({ after }, { answer: answerWith(404) });
  const settings = { LONGHAND_MULTIPART_THRESHOLD: '20000000', LONGHAND_EGRESS_ALLOW: missing.target };
  const service = await runService({ after }, settings);
  return { service, missing, browser: await openBrowser({ after }) };
}

if (withoutChromium) test('the web product in a browser', { skip: withoutChromium });
else pageTests(await started());

function pageTests({ service, missing, browser }: Awaited<ReturnType<typeof started>>): void {
  test('a sign-in link opens the library by its button; its token does not stay in the address', async () => {
    const accountId = await newAccount(service.environment);
    const token = await signInToken(service.environment, accountId);
    const watched = await watchedPage(browser, { locale: 'en-GB' });
    const { page } = watched;
    await page.goto(`${service.url}/signin?token=${token}`);
    await page.getByRole('button', { name: 'Open Longhand' }).waitFor();
    assert.equal(new URL(page.url()).search, '');
    await assertSound(watched, service);
    await page.getByRole('button', { name: 'Open Longhand' }).click();
    await page.getByRole('heading', { name: 'Put a recording down.' }).waitFor();
    await page.getByRole('heading', { name: 'Your transcripts will stand here.' }).waitFor();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(`${service.url}/signin?token=${token}`);
    await page.getByRole('button', { name: 'Open Longhand' }).click();
    await page.getByRole('alert').getByText('used already or has expired').waitFor();
    await page.context().close();
  });

  test('a pasted key is exchanged for a session and kept nowhere in the browser', async () => {
    const account = await newAccount(service.environment);
    const made = await longhand(service.environment, 'key', 'create', '--account', account, '--json');
    const { key } = JSON.parse(made.stdout);
    const { page } = await watchedPage(browser, { locale: 'en-GB' });
    await page.goto(service.url);
    await page.getByLabel('API key').fill('lh_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('not active').waitFor();
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Put a recording down.' }).waitFor();
    const kept = (await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )) as string;
    assert.equal(kept.includes(key), false);
    assert.match(kept, /""\]$/, 'scripts see no cookie');
    await page.context().close();
  });

  test('a dropped recording is uploaded, followed and done; it is renamed, deleted, brought back', async () => {
    const watched = await signedInPage(browser, service);
    const { page } = watched;
    await page.goto(service.url);
    await page.setInputFiles('input[type=file]', austen);
    const row = page.getByRole('listitem').filter({ hasText: 'austen-880.flac' });
    await row.locator('article.completed').waitFor();
    const { body: listed } = await watched.web.send('GET', '/api/v1/transcriptions');
    const job = await watched.web.send('GET', `/api/v1/transcriptions/${listed.data[0].id}`);
    const said = job.body.data.text.match(/[a-z]{6,}/)[0];
    await page.getByRole('searchbox').fill(said);
    await page.locator('mark').first().waitFor();
    const hit = page.getByRole('region', { name: 'Search results' }).getByRole('link');
    assert.match((await hit.first().getAttribute('href')) ?? '', /^\/transcripts\/[0-9a-f-]{36}\?t=\d+$/);
    await assertSound(watched, service);
    await page.getByRole('searchbox').fill('qqqq');
    await page.getByText('Nobody said “qqqq”').waitFor();
    await page.getByRole('searchbox').fill('');
    await row.getByRole('button', { name: 'Rename austen-880.flac' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Persuasion, chapter one');
    // The name is shown before the service has it: a reload at once would cut the request.
    const renamed = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
    await page.keyboard.press('Enter');
    assert.equal((await renamed).status(), 204);
    await page.getByRole('link', { name: 'Persuasion, chapter one' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Persuasion, chapter one' }).waitFor();
    const remove = page.getByRole('button', { name: 'Delete Persuasion, chapter one' });
    await remove.click();
    await page.getByRole('link', { name: 'Persuasion, chapter one' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('link', { name: 'Persuasion, chapter one' }).waitFor();
    await assertSound(watched, service);
    await remove.click();
    // Whoever leaves the page has decided.
    await page.goto(`${service.url}/docs`);
    await eventually(async () => {
      const { body } = await watched.web.send('GET', '/api/v1/transcriptions');
      return body.data.length === 0;
    }, 'the deletion');
    await page.context().close();
  });

  test('an upload that a reload cuts goes on by itself and becomes one job', async () => {
    const { page, web } = await signedInPage(browser, service);
    await page.goto(service.url);
    page.on('dialog', (dialog) => void dialog.accept());
    // A pause of the network in the middle of the parts.
    let isHeld = true;
    await page.route('**/objects/**', async (route) => {
      if (isHeld && route.request().url().includes('partNumber=2')) return;
      await route.continue();
    });
    const buffer = Buffer.from(wavBytes(1_000, 0));
    await page.setInputFiles('input[type=file]', { name: 'long.wav', mimeType: 'audio/wav', buffer });
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    // Before the reload: the page that goes on may send the part at once.
    isHeld = false;
    await page.reload();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'long.wav' })
      .locator('article.processing, article.completed')
      .waitFor();
    const { body } = await web.send('GET', '/api/v1/transcriptions');
    assert.equal(body.data.length, 1);
    await page.context().close();
  });

  test('what the plan does not allow is told before a byte is sent', async () => {
    const { page, web } = await signedInPage(browser, service, { plan: 'free' });
    let prepared = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/uploads')) prepared += 1;
    });
    await page.goto(service.url);
    assert.equal(await page.getByLabel('Tell speakers apart').isDisabled(), true);
    await page.getByText('needs the Pro plan').waitFor();
    const files = [
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('x') },
      { name: 'empty.mp3', mimeType: 'audio/mpeg', buffer: Buffer.alloc(0) },
    ];
    await page.setInputFiles('input[type=file]', files);
    await page.getByText('“notes.txt” is not audio or video').waitFor();
    await page.getByText('“empty.mp3” is empty.').waitFor();
    await page.getByLabel('Links to recordings or videos').fill('not-a-link');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('“not-a-link” is not a link.').waitFor();
    assert.equal(prepared, 0);
    assert.deepEqual((await web.send('GET', '/api/v1/transcriptions')).body.data, []);
    await page.context().close();
  });

  test('a failed link says what to do and can be tried again', async () => {
    const { page, web } = await signedInPage(browser, service);
    await page.goto(service.url);
    await page.getByLabel('Links to recordings or videos').fill('http://127.0.0.1:9/talk.mp3');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('source_url must be a public http or https URL').waitFor();
    await page.getByLabel('Links to recordings or videos').fill(missing.url);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.locator('article.failed').waitFor();
    const { body } = await web.send('GET', '/api/v1/transcriptions');
    await page.getByText(body.data[0].error).waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await eventually(
      async () => (await web.send('GET', '/api/v1/transcriptions')).body.data.length === 2,
      'the second job',
    );
    await page.context().close();
  });

  test('the keyboard alone signs in, reaches the menu and leaves it', async () => {
    const { page } = await signedInPage(browser, service);
    await page.goto(service.url);
    await page.getByRole('heading', { name: 'Put a recording down.' }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await focusedText(page), 'Skip to the content');
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
    for (let i = 0; i < 6 && (await focused()) !== 'Account'; i += 1) await page.keyboard.press('Tab');
    assert.equal(await focused(), 'Account');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Settings' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Settings' }).waitFor({ state: 'hidden' });
    await page.context().close();
  });

  test('the pages speak German to whoever does', async () => {
    const watched = await signedInPage(browser, service, { locale: 'de-AT', viewport: phone });
    await watched.page.goto(service.url);
    await watched.page.getByRole('heading', { name: 'Leg eine Aufnahme ab.' }).waitFor();
    await watched.page.getByRole('heading', { name: 'Hier werden deine Transkripte stehen.' }).waitFor();
    assert.equal(await watched.page.evaluate('document.documentElement.lang'), 'de');
    await assertSound(watched, service);
    await watched.page.context().close();
  });

  let operator: WebClient | undefined;
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of [wide, phone]) {
      test(`every page is whole, ${colorScheme}, ${viewport.width} pixels wide`, async () => {
        operator ??= await signedInOperator(service);
        const watched = await signedInPage(browser, service, { web: operator, colorScheme, viewport });
        const { page } = watched;
        for (const [path, heading] of [
          ['/', 'Your transcripts will stand here.'],
          ['/settings', 'Try it'],
          ['/settings/webhooks', 'What was sent'],
          ['/settings/usage', 'The last 30 days'],
          ['/settings/sessions', 'Signed-in browsers'],
          ['/operator', 'Accounts'],
        ] as const) {
          await page.goto(service.url + path);
          await page.getByRole('heading', { name: heading }).waitFor();
          await assertSound(watched, service);
        }
        await page.context().close();
      });
    }
  }
}

async function signedInOperator(service: TestService): Promise<WebClient> {
  const accountId = await newAccount(service.environment);
  await longhand(service.environment, 'account', 'operator', accountId);
  return WebClient.signedIn(service, accountId);
}

async function focusedText(page: { evaluate(code: string): Promise<unknown> }): Promise<unknown> {
  return page.evaluate('document.activeElement.textContent');
}
