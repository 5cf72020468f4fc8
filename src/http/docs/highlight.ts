import { type Html, html } from '../html.ts';

/** Comments and quoted text, the same way in JSON, bash and the languages of the examples: enough to find one's way. */
const tokens =
  /(?<comment>(?:^|(?<=\s))(?:#|\/\/) .*$|\/\*\*.*?\*\/)|(?<name>"[^"\n]*"(?=:\s))|(?<text>"(?:[^"\\\n]|\\.)*"|'[^'\n]*')/gm;

export function highlighted(code: string): Html {
  const parts: (Html | string)[] = [];
  let end = 0;
  for (const match of code.matchAll(tokens)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? [];
    parts.push(code.slice(end, match.index), html`<span class="${kind}">${match[0]}</span>`);
    end = match.index + match[0].length;
  }
  return html`${[...parts, code.slice(end)]}`;
}
