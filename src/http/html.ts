/** Markup that is already safe to send. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlPart = Html | string | number | undefined | readonly HtmlPart[];

/** A piece of a page. Every text put into it is escaped; only what `html` itself made goes in as markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(strings.map((text, i) => text + (i < parts.length ? markup(parts[i]) : '')).join(''));
}

function markup(part: HtmlPart): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(markup).join('');
  return escaped(String(part));
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
