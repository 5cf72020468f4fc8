import { type Html, html } from '../html.ts';
import { pageText } from '../page.ts';
import { errorSection } from './error-section.ts';
import { guideSection } from './guide-section.ts';
import { type Limits, limitSection, mediaSection } from './limit-section.ts';
import type { ApiDocument } from './open-api.ts';
import { operationSection } from './operation-section.ts';
import { baseUrlMark } from './page-marks.ts';
import { webhookSection } from './webhook-section.ts';

/** The page at /docs, with `baseUrlMark` wherever the reader's own address belongs. */
export function docsPage(document: ApiDocument, limits: Limits): string {
  return pageText({
    title: 'Longhand API',
    description: 'From a recording to its text: a guide in five steps and the reference of every operation.',
    styles: ['docs.css'],
    scripts: ['docs.js'],
    top: topBar(),
    body: html`<div class="docs">${contents(document)}<main>
<section class="hero"><h1>Recordings in, text out.</h1>
<p>Send a file or a link, get a job at once, read text with timed segments when it is done.</p>
<p class="base"><span class="quiet">Base URL</span> <code>${baseUrlMark}</code> <a href="/api/v1/openapi.json">OpenAPI document</a></p>
${keyForm()}</section>
${guideSection()}
<section id="reference"><h2>Reference</h2>
<p>Send <code>Authorization: Bearer</code> and your key with every request, and JSON objects as bodies. A success has <code>data</code> at its
top. Fields and codes are only added within v1, so ignore what you do not know.</p>
${document.groups.map(
  ({ name, description, routes }) =>
    html`<div class="group" id="${anchor(name)}"><h3 class="groupname">${name}</h3><p class="quiet">${description}</p>${routes.map((route) => operationSection(document, route))}</div>`,
)}</section>
${errorSection(document)}
${webhookSection(document)}
${mediaSection()}
${limitSection(limits)}
</main></div>`,
  });
}

function topBar(): Html {
  return html`<span class="small quiet wide">API</span><span class="grow"></span><span class="small quiet wide" id="key-state"></span><button type="button" class="btn narrow" popovertarget="contents">Contents</button>`;
}

function keyForm(): Html {
  return html`<form class="key" id="key-form"><label for="key">Your API key</label>
<input class="field" id="key" name="key" type="password" placeholder="lh_…" autocomplete="off" spellcheck="false" maxlength="100">
<button class="btn main">Use it here</button><button type="button" class="btn" id="key-forget" hidden>Forget it</button>
<p class="small quiet">For the forms below and the lines you copy. It stays in this tab, survives a reload, and goes to this server only.</p></form>
<noscript><p class="small quiet">Copying and the forms need JavaScript; everything else on this page works without.</p></noscript>`;
}

function contents(document: ApiDocument): Html {
  const link = (id: string, title: string) => html`<li><a href="#${id}">${title}</a></li>`;
  return html`<nav id="contents" popover aria-label="Contents"><h2>Start</h2><ul>${link('start', 'Five steps')}${link('links', 'A link instead of a file')}</ul>
${document.groups.map(
  ({ name, routes }) =>
    html`<h2>${name}</h2><ul>${routes.map(({ operation }) => link(operation.operationId, operation.summary))}</ul>`,
)}
<h2>Good to know</h2><ul>${link('errors', 'Errors')}${link('webhooks', 'Events')}${link('verify', 'Verify the signature')}${link('media', 'Accepted media')}${link('limits', 'Limits')}</ul></nav>`;
}

function anchor(name: string): string {
  return `group-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;
}
