import { errorCodes, errorMessage, errorStatus } from '../../contract/errors.ts';
import { type Html, html } from '../html.ts';
import type { ApiDocument } from './open-api.ts';

/** Every error once: what it means, and which operations answer with it. */
export function errorSection(document: ApiDocument): Html {
  const routes = document.routes;
  const rows = errorCodes
    .map((code) => ({
      code,
      status: errorStatus(code),
      routes: routes.filter(({ operation }) => document.errorCodes(operation).includes(code)),
    }))
    .toSorted((a, b) => a.status - b.status);
  const isEverywhere = (count: number) => count >= routes.length - 1;
  return html`<section id="errors"><h2>Errors</h2>
<p>Every error is <code>{"error": {"code", "message"}}</code>. Branch on <code>code</code>; <code>message</code> tells a person what to do.
Every answer has <code>x-request-id</code>: quote it when you report a problem. After a 429 or 503 wait for the seconds of
<code>Retry-After</code> where it is given.</p>
<div class="scroll"><table><thead><tr><th>Status</th><th>Code</th><th>What to do</th><th>From</th></tr></thead><tbody>
${rows.map(
  ({ code, status, routes: from }) =>
    html`<tr id="error-${code}"><td class="num">${status}</td><td><code>${code}</code></td><td>${errorMessage(code)}</td><td class="small">${
      isEverywhere(from.length)
        ? 'every operation with a key'
        : from.length === 0
          ? 'any address'
          : from.map(
              ({ operation }, i) =>
                html`${i > 0 ? ', ' : ''}<a href="#${operation.operationId}">${operation.summary}</a>`,
            )
    }</td></tr>\n`,
)}</tbody></table></div></section>`;
}
