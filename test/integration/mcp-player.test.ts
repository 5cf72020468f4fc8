/** The transcript's page in a host that shows MCP Apps: a frame without rights, spoken to by messages alone. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  McpUiInitializedNotificationSchema,
  McpUiInitializeRequestSchema,
  McpUiOpenLinkRequestSchema,
  McpUiResourceMetaSchema,
  McpUiSizeChangedNotificationSchema,
} from '@modelcontextprotocol/ext-apps/app-bridge';
import type { Page } from 'playwright-core';
import { readPlayer } from '../../src/mcp/player/player.ts';
import { openBrowser, watchedPage, withoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';

const [page] = readPlayer().contents;
const html = page && 'text' in page ? page.text : '';
const url = 'https://longhand.example/transcripts/7b9a';

const answer = {
  content: [{ type: 'text', text: 'as text' }],
  structuredContent: {
    id: '7b9a',
    filename: '<img src=x onerror=alert(1)>.mp3',
    duration_seconds: 3_725,
    url,
    segments: [
      { start: 1.5, end: 3, speaker: 'Speaker 1', text: 'Good morning.' },
      { start: 3_661, end: 3_664, speaker: 'Speaker 2', text: '<script>alert(2)</script> Hello.' },
    ],
    next_cursor: '2.0',
  },
};
const rest = {
  ...answer,
  structuredContent: {
    ...answer.structuredContent,
    segments: [{ start: 3_700, end: 3_705, text: 'The last words.' }],
    next_cursor: null,
  },
};

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
}

/** A host that keeps what the page says and answers its requests. */
async function hosted(view: Page, result: object): Promise<{ messages: () => Promise<Message[]> }> {
  await view.setContent('<!doctype html><iframe sandbox="allow-scripts" width="600" height="500"></iframe>');
  await view.evaluate(`(() => {
    globalThis.said = [];
    const frame = document.querySelector('iframe');
    addEventListener('message', ({ data }) => {
      said.push(data);
      const post = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
      if (data.method === 'ui/initialize') post({ id: data.id, result: { hostContext: { theme: 'dark' } } });
      if (data.method === 'ui/open-link') post({ id: data.id, result: {} });
      if (data.method === 'tools/call') post({ id: data.id, result: ${JSON.stringify(rest)} });
      if (data.method === 'ui/notifications/initialized')
        post({ method: 'ui/notifications/tool-result', params: ${JSON.stringify(result)} });
    });
    frame.srcdoc = ${JSON.stringify(html)};
  })()`);
  return { messages: () => view.evaluate('said') as Promise<Message[]> };
}

test('the page asks nobody for anything: its policy is strict and its frame needs no rights', () => {
  assert.match(html, /default-src 'none'; script-src 'sha256-[^']{44}'; style-src 'sha256-[^']{44}'/);
  assert.ok(html.length < 10_000, `${html.length} characters`);
  assert.equal(page?.mimeType, 'text/html;profile=mcp-app');
  const meta = McpUiResourceMetaSchema.parse(page?._meta?.ui);
  assert.deepEqual(meta.csp, { connectDomains: [], resourceDomains: [] });
});

if (withoutChromium) test('the transcript’s page in a browser', { skip: withoutChromium });
else {
  const browser = await openBrowser({ after });

  test('it shows times, speakers and text as text, opens a moment and fetches the next part', async () => {
    const { page: view, complaints, origins } = await watchedPage(browser);
    const { messages } = await hosted(view, answer);
    const frame = view.frameLocator('iframe');
    await frame.getByText('Good morning.').waitFor();
    assert.deepEqual(await frame.getByRole('listitem').allTextContents(), [
      '00:01Speaker 1: Good morning.',
      '01:01:01Speaker 2: <script>alert(2)</script> Hello.',
    ]);
    assert.equal(await frame.getByRole('heading').textContent(), '<img src=x onerror=alert(1)>.mp3');
    await frame.getByRole('button', { name: '01:01:01' }).click();
    await frame.getByRole('button', { name: 'Show the next part' }).click();
    await frame.getByText('The last words.').waitFor();
    await frame.getByRole('searchbox').fill('morning');
    assert.equal(await frame.getByRole('listitem').filter({ visible: true }).count(), 1);

    const said = await messages();
    const one = (method: string) => said.find((message) => message.method === method);
    McpUiInitializeRequestSchema.parse(one('ui/initialize'));
    McpUiInitializedNotificationSchema.parse(one('ui/notifications/initialized'));
    McpUiSizeChangedNotificationSchema.parse(one('ui/notifications/size-changed'));
    const link = McpUiOpenLinkRequestSchema.parse(one('ui/open-link'));
    assert.equal(link.params.url, `${url}?t=3661`);
    assert.deepEqual(one('tools/call')?.params, {
      name: 'get_transcript',
      arguments: { id: '7b9a', format: 'segments', cursor: '2.0' },
    });
    assert.deepEqual(complaints, []);
    assert.deepEqual(
      [...origins].filter((origin) => origin !== 'null'),
      [],
    );
    await view.context().close();
  });

  test('an answer without a transcript is shown as its text', async () => {
    const { page: view } = await watchedPage(browser);
    await hosted(view, {
      isError: true,
      content: [{ type: 'text', text: 'not_found: There is nothing here.' }],
    });
    const frame = view.frameLocator('iframe');
    await eventually(
      async () => (await frame.getByRole('status').textContent())?.startsWith('not_found') || undefined,
      'the sentence',
    );
    await view.context().close();
  });
}
