/**
 * The tags of a foreign page, read once from front to back. A pattern over the whole of it (`<[^>]*>`) takes the square
 * of its length: a page of two megabytes that is all `<` would keep the process busy for hours.
 */
export interface HtmlTag {
  /** In small letters, of a closing tag with its stroke; empty for what stands before the first one. */
  name: string;
  /** What stands between the name and `>`. */
  attributes: string;
  /** Up to the next tag. */
  text: string;
}

export function* htmlTags(html: string): Generator<HtmlTag> {
  let at = html.indexOf('<');
  yield { name: '', attributes: '', text: at < 0 ? html : html.slice(0, at) };
  while (at >= 0) {
    const next = html.indexOf('<', at + 1);
    yield tagOf(next < 0 ? html.slice(at + 1) : html.slice(at + 1, next));
    at = next;
  }
}

/** Text to read, without scripts and styles: at most so many characters, and not more of the page than that needs. */
export function htmlText(tags: Iterable<HtmlTag>, charactersMax: number): string {
  const parts: string[] = [];
  let characters = 0;
  let hiddenUntil: string | undefined;
  for (const { name, text } of tags) {
    if (hiddenUntil === name) hiddenUntil = undefined;
    else if (name === 'script' || name === 'style') hiddenUntil ??= `/${name}`;
    if (hiddenUntil !== undefined) continue;
    parts.push(text);
    characters += text.trim().length;
    if (characters > charactersMax) break;
  }
  return unescapedHtml(parts.join(' ').replace(/\s+/g, ' ')).trim().slice(0, charactersMax);
}

const namedCharacters: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

export function unescapedHtml(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,6})|(\w{1,32}));/gi, (all, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : undefined;
    if (code !== undefined) return code <= 0x10ffff ? String.fromCodePoint(code) : all;
    return namedCharacters[String(name).toLowerCase()] ?? all;
  });
}

function tagOf(piece: string): HtmlTag {
  const [name = ''] = /^\/?[a-z][a-z0-9]{0,31}/i.exec(piece) ?? [];
  const end = piece.indexOf('>');
  return {
    name: name.toLowerCase(),
    attributes: piece.slice(name.length, end < 0 ? undefined : end),
    text: end < 0 ? '' : piece.slice(end + 1),
  };
}
