import { type Html, html } from '../html.ts';
import { highlighted } from './highlight.ts';

/** Code with a button that copies it. */
export function codeBlock(code: string, { label, kind }: { label: string; kind?: string }): Html {
  return html`<figure class="code"${kind === undefined ? undefined : html` data-kind="${kind}"`}><figcaption>${label}<button type="button" class="copy" hidden>Copy</button></figcaption><pre tabindex="0"><code>${highlighted(code)}</code></pre></figure>`;
}
