/** What every page of the service has in common: its head, its top bar, and what a browser may do on it. */
import type { FastifyReply } from 'fastify';
import { type Html, html } from './html.ts';
import { assetUrl } from './page-assets.ts';

/** Everything from this service, nothing inline, nobody frames it. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface Page {
  title: string;
  description: string;
  /** Names of assets besides the common look. */
  styles?: readonly string[];
  scripts?: readonly string[];
  /** Beside the name in the top bar. */
  top?: Html;
  body: Html;
}

export function pageText({ title, description, styles = [], scripts = [], top, body }: Page): string {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${assetUrl('favicon.svg')}">
${['tokens.css', 'look.css', ...styles].map((name) => html`<link rel="stylesheet" href="${assetUrl(name)}">\n`)}${scripts.map(
  (name) => html`<script type="module" src="${assetUrl(name)}"></script>\n`,
)}</head>
<body>
<header class="top"><a class="mark" href="/">Longhand</a>${top}</header>
${body}
</body>
</html>
`;
  return page.text;
}

export function sendPage(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    })
    .send(text);
}
