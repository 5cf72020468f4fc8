import { type Html, html } from '../html.ts';

/** A description of the API document, in which `names` stand between backticks. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
