import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Html, html } from '../html.ts';
import { codeBlock } from './code-block.ts';
import type { ApiDocument } from './open-api.ts';
import { sampleOf } from './sample.ts';
import { schemaFields } from './schema-fields.ts';

const examplesDir = join(import.meta.dirname, '..', '..', '..', 'docs', 'examples');

/** The files that docs/webhooks.md shows, too; a test runs each of them. */
const examples = [
  { language: 'TypeScript', file: 'verify-webhook.ts' },
  { language: 'Python', file: 'verify_webhook.py' },
  { language: 'Go', file: 'verify_webhook.go' },
  { language: 'PHP', file: 'verify-webhook.php' },
];

export function webhookSection(document: ApiDocument): Html {
  const [event] = document.events;
  const content = event && document.body(event);
  return html`<section id="webhooks"><h2>Webhooks</h2>
<p>Subscribe once, and your server is told when a job ends: a POST with the event below, at least once, up to seven attempts over about
17 hours. Answer any 2xx within 15 seconds and do the work afterwards; 410 ends the subscription. The payload never holds the text: fetch
<code>data.resource_url</code> with a key of the same account.</p>
<div class="operation"><div class="words">${content?.schema && schemaFields(document, content.schema)}</div>
<div class="wire">${content && codeBlock(JSON.stringify(sampleOf(document, content), null, 2), { label: 'the body of an event' })}</div></div>
<h3 id="verify">Verify the signature</h3>
<p>The format is Standard Webhooks, so its libraries work as they are. Without one: read the body as bytes, check
<code>webhook-signature</code> over <code>webhook-id.webhook-timestamp.body</code>, refuse a timestamp more than 300 seconds away, and keep
each <code>webhook-id</code> for 24 hours to see an event that comes twice.</p>
<div class="tabs">${examples.map(
    ({ language }, i) =>
      html`<input type="radio" name="verify" id="verify-${i}"${i === 0 ? html` checked` : undefined}><label for="verify-${i}">${language}</label>`,
  )}${examples.map(({ file }) => codeBlock(readFileSync(join(examplesDir, file), 'utf8').trimEnd(), { label: file }))}</div>
</section>`;
}
