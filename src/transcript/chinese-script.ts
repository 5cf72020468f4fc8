/** Chinese text in one script: recognizers mix Simplified and Traditional, whatever is asked of them. */
import type { ChineseScript } from '../contract/language.ts';
import type { RecognisedUtterance } from '../timeline/utterance.ts';
import type { TimedWord } from '../timeline/word.ts';

type Convert = (text: string) => string;

/** What most readers expect. */
const usualScript: ChineseScript = 'cn';
const languages: ReadonlySet<string | null> = new Set(['zh', 'yue']);
const converters = new Map<ChineseScript, Promise<Convert>>();

/** Utterances in other languages stay as they are. */
export async function inChineseScript(
  utterances: readonly RecognisedUtterance[],
  script: ChineseScript = usualScript,
): Promise<RecognisedUtterance[]> {
  if (!utterances.some(({ language }) => languages.has(language))) return [...utterances];
  const convert = await converterTo(script);
  return utterances.map((utterance) => {
    if (!languages.has(utterance.language)) return utterance;
    const { text, words } = utterance;
    return { ...utterance, text: convert(text), ...(words && { words: convertedWords(words, convert) }) };
  });
}

/** As one text, because a sign may depend on its neighbours (头发, 发展), and cut again where the words were. */
function convertedWords(words: readonly TimedWord[], convert: Convert): TimedWord[] {
  const signs = [...convert(words.map(({ text }) => text).join(''))];
  const lengths = words.map(({ text }) => [...text].length);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (signs.length !== total) return words.map((word) => ({ ...word, text: convert(word.text) }));
  let at = 0;
  return words.map((word, i) => {
    const from = at;
    at += lengths[i] ?? 0;
    return { ...word, text: signs.slice(from, at).join('') };
  });
}

/** The dictionaries are loaded when they are first needed: that into Traditional takes half a second. */
function converterTo(script: ChineseScript): Promise<Convert> {
  const known = converters.get(script);
  if (known) return known;
  const loaded =
    script === 'cn'
      ? import('opencc-js/t2cn').then(({ Converter }) => Converter({ from: 't', to: 'cn' }))
      : import('opencc-js/cn2t').then(({ Converter }) => Converter({ from: 'cn', to: script }));
  converters.set(script, loaded);
  return loaded;
}
