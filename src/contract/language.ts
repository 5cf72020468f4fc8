/** The languages that Whisper knows, by its own codes. */
export const languageCodes: readonly string[] = `
  af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha haw he hi hr ht hu hy id is it
  ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so
  sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh
`
  .trim()
  .split(/\s+/);

const names = new Intl.DisplayNames('en', { type: 'language' });
const byCode = new Map(languageCodes.map((code) => [code, (names.of(code) ?? code).toLowerCase()]));
const byName = new Map([...byCode].map(([code, name]) => [name, code]));

/** From `en`, `en-US` or `English`; undefined for what Whisper does not know. */
export function languageCode(text: string): string | undefined {
  const wanted = text.trim().toLowerCase();
  const [primary = ''] = wanted.split(/[-_]/);
  return byName.get(wanted) ?? (byCode.has(primary) ? primary : undefined);
}

/** Simplified, and Traditional as it is written in Taiwan and in Hong Kong. */
export type ChineseScript = 'cn' | 'tw' | 'hk';

const scripts: readonly [pattern: RegExp, script: ChineseScript][] = [
  [/^(zh|yue)[-_](.*[-_])?(hk|mo)$/, 'hk'],
  [/^(zh|yue)[-_](hant|tw)/, 'tw'],
  [/^(zh|yue)[-_](hans|cn|sg|my)/, 'cn'],
];

/** The script that a tag such as `zh-TW` or `zh-Hant` asks for; undefined where it names none. */
export function chineseScriptOf(tag: string): ChineseScript | undefined {
  const wanted = tag.trim().toLowerCase();
  return scripts.find(([pattern]) => pattern.test(wanted))?.[1];
}

/** As Whisper names it: `english`. Where several are spoken, or nobody found out, there is no name. */
export function languageName(code: string | null): string {
  return code === null ? 'unknown' : (byCode.get(code) ?? code);
}
