/** What a person makes of the machine's hearing, in a real browser: unsure words, and passages recognised again. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fixtureSamples, silence, spokenSamples } from '../support/audio.ts';
import { openBrowser, withoutChromium } from '../support/browser.ts';
import { onCleanup } from '../support/cleanup.ts';
import { withConnection } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { longhand, startService, testEnvironment } from '../support/service.ts';
import { wavOf } from '../support/wav-bytes.ts';
import { newAccount } from '../support/web-client.ts';
import { assertSound, phone, signedInPage, wide } from '../support/web-page.ts';
import { readTranscript } from '../support/web-recording.ts';

const bilingual = wavOf(
  Buffer.concat([
    await fixtureSamples('austen-880.flac'),
    silence(2.5),
    await spokenSamples('de', 'Guten Morgen. Heute ist ein schöner Tag.'),
  ]),
);

/** The model for German is loaded before. */
const heardWithinMs = 180_000;

if (withoutChromium) test('recognition in a browser', { skip: withoutChromium });
else {
  const environment = await testEnvironment({ after });
  const service = await startService(environment, ['--role', 'api']);
  onCleanup({ after }, () => service.stop());
  const worker = await startService(environment, ['--role', 'worker']);
  onCleanup({ after }, () => worker.stop());
  const browser = await openBrowser({ after });
  const accountId = await newAccount(service.environment);
  const signedIn = await signedInPage(browser, service, { accountId });
  const { page, web } = signedIn;
  const id = await transcribedAsEnglish();
  const saved = () => page.locator('.save[data-state=saved]').waitFor();
  const texts = async () => (await readTranscript(web, id)).edition?.segments.map(({ text }) => text) ?? [];
  const machineTexts = async () => {
    const { body } = await web.send('GET', `/api/v1/transcriptions/${id}`);
    return body.data.segments.map(({ text }: { text: string }) => text);
  };
  const askAgain = async (line: string) => {
    const row = page.locator('.turn').filter({ hasText: line });
    await row.getByRole('button', { name: /^More for the line/ }).click();
    await page.getByRole('menuitem', { name: 'Recognise again…' }).click();
    await page.getByRole('dialog', { name: 'Recognise again' }).waitFor();
  };

  /** Somebody said that all of it is English. */
  async function transcribedAsEnglish(): Promise<string> {
    const made = await longhand(environment, 'key', 'create', '--account', accountId, '--json');
    const { key } = JSON.parse(made.stdout);
    const form = new FormData();
    form.set('file', new Blob([bilingual], { type: 'audio/wav' }), 'Two languages.wav');
    form.set('model', 'whisper-1');
    form.set('language', 'en');
    const answer = await fetch(`${service.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    assert.equal(answer.status, 200, await answer.text());
    const { body } = await web.send('GET', '/api/v1/transcriptions');
    return body.data[0].id;
  }

  test('unsure words are marked, found by a key one after the other, and no longer marked once they are mended', async () => {
    const [said = ''] = await texts();
    const [, second = '', , fourth = ''] = said.split(' ');
    await setConfidences([0.9, 0.2, 0.9, 0.3]);
    await page.goto(`${service.url}/transcripts/${id}`);
    await eventually(async () => (await marked()).join() === [second, fourth].join(), 'the marks');
    await page.getByText('The machine was unsure of 2 words.').waitFor();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await assertSound(signedIn, service);
    }
    const chosen = () => page.evaluate('getSelection().toString()');
    await page.keyboard.press('F8');
    await eventually(async () => (await chosen()) === second, 'the first unsure word');
    await page.getByText(`“${second}”: 20 % sure`).waitFor();
    await page.keyboard.press('F8');
    await eventually(async () => (await chosen()) === fourth, 'the second unsure word');
    await page.keyboard.type('mended');
    await saved();
    await eventually(async () => (await marked()).join() === second, 'the mended word without its mark');
    await page.keyboard.press('F8');
    await eventually(async () => (await chosen()) === second, 'the only one that is left');
    await page.getByLabel('Mark words that may be wrong').uncheck();
    await eventually(async () => (await marked()).length === 0, 'no marks');
    await page.reload();
    await page.getByText('The machine was unsure of 2 words.').waitFor();
    assert.equal(await page.getByLabel('Mark words that may be wrong').isChecked(), false);
    await page.setViewportSize(phone);
    await page.getByRole('button', { name: 'Next unsure word' }).click();
    await eventually(async () => (await chosen()) === second, 'the unsure word on a phone');
    await assertSound(signedIn, service);
    await page.setViewportSize(wide);
  });

  /** Of the first words that the machine heard; it is sure of the others. */
  async function setConfidences(first: readonly number[]): Promise<void> {
    await withConnection(environment.LONGHAND_DATABASE_URL ?? '', (client) =>
      client.query(
        `update transcription set words = (
           select jsonb_agg(jsonb_build_array(word -> 0, word -> 1, word -> 2, null,
             coalesce(($2::float8[])[place], 0.99)) order by place)
           from jsonb_array_elements(words) with ordinality as heard (word, place))
         where id = $1`,
        [id, first],
      ),
    );
  }

  async function marked(): Promise<string[]> {
    return (await page.evaluate(
      "[...(CSS.highlights.get('unsure') ?? [])].map((range) => range.toString())",
    )) as string[];
  }

  test('a passage in the wrong language is recognised again in the right one, as one step to take back', async () => {
    const [before, machine] = [await texts(), await machineTexts()];
    const wrong = before.slice(1);
    assert.doesNotMatch(wrong.join(' '), /schön/i);
    await page.goto(`${service.url}/transcripts/${id}`);
    await askAgain(wrong[0] ?? '');
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await assertSound(signedIn, service);
    }
    if (wrong.length > 1) await page.getByLabel('Lines from here').fill(String(wrong.length));
    await page.getByRole('combobox', { name: 'Language', exact: true }).selectOption('de');
    // The work stands still until the waiting was seen.
    worker.process.kill('SIGSTOP');
    try {
      await page.getByRole('button', { name: 'Recognise again' }).click();
      await page.getByText('Waits to be recognised again').waitFor();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await assertSound(signedIn, service);
    } finally {
      worker.process.kill('SIGCONT');
    }
    await page
      .locator('.said')
      .filter({ hasText: /guten morgen/i })
      .waitFor({ timeout: heardWithinMs });
    await page.getByText('recognised again').waitFor({ state: 'detached' });
    const again = await texts();
    assert.equal(again[0], before[0], 'other lines stay');
    assert.match(again.slice(1).join(' '), /guten morgen/i);
    assert.deepEqual(await machineTexts(), machine, 'the API gives the machine’s first text');
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => (await texts()).join() === before.join(), 'the text before');
    await page.getByRole('button', { name: 'Redo' }).click();
    await eventually(async () => (await texts()).join() === again.join(), 'the text recognised again');
    await saved();
  });

  test('what cannot be recognised again is said in words, before it is asked for or at its lines', async () => {
    const [first = ''] = await texts();
    await page.goto(`${service.url}/transcripts/${id}`);
    await askAgain(first);
    worker.process.kill('SIGSTOP');
    try {
      await page.getByRole('button', { name: 'Recognise again' }).click();
      await page.getByText('Waits to be recognised again').waitFor();
      await page.locator('.said').first().fill(`${first} Indeed.`);
      await saved();
    } finally {
      worker.process.kill('SIGCONT');
    }
    const note = page.getByRole('alert').filter({ hasText: 'changed while they were recognised' });
    await note.waitFor();
    await assertSound(signedIn, service);
    assert.equal((await texts())[0], `${first} Indeed.`);
    await note.getByRole('button', { name: 'Close' }).click();
    await note.waitFor({ state: 'detached' });
    await withConnection(environment.LONGHAND_DATABASE_URL ?? '', (client) =>
      client.query(`update transcription set source = source || '{"etag":"another"}' where id = $1`, [id]),
    );
    await withConnection(environment.LONGHAND_DATABASE_URL ?? '', (client) =>
      client.query('update playback set media = null where transcription_id = $1', [id]),
    );
    await askAgain(first);
    await page.getByRole('dialog').getByText('no longer kept').waitFor();
    assert.equal(await page.getByRole('dialog').getByRole('combobox').count(), 0);
    await page.setViewportSize(phone);
    await assertSound(signedIn, service);
    await page.context().close();
  });
}
