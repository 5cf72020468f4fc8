/** Texts of strangers stay texts on every page. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hostileTexts } from '../fixtures/hostile-markup.ts';
import { openBrowser, withoutChromium } from '../support/browser.ts';
import { longhand, runService } from '../support/service.ts';
import { newAccount } from '../support/web-client.ts';
import { signedInPage } from '../support/web-page.ts';
import { answerWith, openReceiver } from '../support/webhook-receiver.ts';

const createsAtOnce = 10;

test('two hundred hostile names, searches and links: none runs, and the policy has nothing to report', {
  skip: withoutChromium,
}, async () => {
  assert.equal(hostileTexts.length, 200);
  const missing = await openReceiver({ after }, { answer: answerWith(404) });
  const service = await runService({ after }, { LONGHAND_EGRESS_ALLOW: missing.target });
  const accountId = await newAccount(service.environment);
  await longhand(service.environment, 'account', 'operator', accountId);
  const browser = await openBrowser({ after });
  const { page, web, complaints } = await signedInPage(browser, service, { accountId });
  const rest = [...hostileTexts];
  const create = async () => {
    for (let text = rest.pop(); text !== undefined; text = rest.pop()) {
      const source_url = `http://${missing.target}/${encodeURIComponent(text)}.mp3`;
      const { status, body } = await web.send('POST', '/api/v1/transcriptions', { source_url });
      assert.equal(status, 202);
      const renamed = await web.send('PATCH', `/web/library/${body.data.id}`, { name: text });
      assert.equal(renamed.status, 204);
      await web.send('POST', '/web/keys', { name: text.slice(0, 100), expires_in_days: 1 });
    }
  };
  await Promise.all(Array.from({ length: createsAtOnce }, create));
  await page.addInitScript(
    'window.reports = []; document.addEventListener("securitypolicyviolation", (event) => window.reports.push(event.violatedDirective));',
  );
  page.on('dialog', (dialog) => void dialog.dismiss());
  const check = async (what: string) => {
    assert.equal(await page.evaluate('window.ran'), undefined, what);
    assert.deepEqual(await page.evaluate('window.reports'), [], what);
  };
  const newest = (await web.send('GET', '/web/library?limit=1')).body.data.entries[0];
  await page.goto(service.url);
  await page.getByRole('link', { name: newest.name, exact: true }).first().waitFor();
  for (let step = 0; step < 20; step += 1) await page.mouse.wheel(0, 900);
  await page.getByRole('link').last().scrollIntoViewIfNeeded();
  await check('the library');
  for (const path of ['/settings/keys', '/operator']) {
    await page.goto(service.url + path);
    await page.getByText('window.ran=1').first().waitFor();
    await check(path);
  }
  for (const text of hostileTexts.slice(0, 20)) {
    await page.goto(`${service.url}/?q=${encodeURIComponent(text)}&url=${encodeURIComponent(text)}`);
    await page.getByRole('searchbox').waitFor();
    await check(`a search for ${text}`);
  }
  await page.goto(`${service.url}/signin?token=${encodeURIComponent(hostileTexts[0] ?? '')}&problem=x`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await check('the sign-in page');
  assert.deepEqual(
    complaints.filter((one) => !one.startsWith('net::ERR_ABORTED')),
    [],
  );
});
