/**
 * Punctuation and capitals as they are written: no space before a comma or full stop, no comma twice, a capital at the
 * beginning of a sentence. The words themselves stay as they were recognised.
 */
import type { TimedWord } from '../timeline/word.ts';

interface WordContext {
  language: string | null;
  /** Nothing was said before, or a sentence has ended. */
  beginsSentence: boolean;
}

/** The words of one utterance. */
export function normalisedWords(words: readonly TimedWord[], context: WordContext): TimedWord[] {
  let { beginsSentence } = context;
  return withAttachedPunctuation(words, context.language).map((word) => {
    const text = beginsSentence ? capitalised(word.text, context.language) : word.text;
    beginsSentence = capitalFollows(text, context.language);
    return { ...word, text };
  });
}

const quotesAfter = `["'”’»)\\]]*`;
/** Three dots may stand inside a sentence, and a quoted question may go on: “Why?” he asked. */
const endOfSentence = new RegExp(`(?<![.…])(\\.${quotesAfter}|[!?])$`, 'u');
const abbreviation =
  /^["'“‘(]*((\p{L}\.)+|(mrs?|ms|dr|prof|st|vs|etc|approx|sr|jr|gen|col|sgt|capt|inc|ltd|co|corp|dept|est|vol|fig|bzw|ca|nr|usw|sra?|mme)\.)$/iu;
const number = /^\p{N}+\.$/u;

/** Whether the word after this one begins a sentence. Where the full stop may belong to the word, it need not. */
export function capitalFollows(text: string, language: string | null): boolean {
  const word = text.trim();
  if (!endOfSentence.test(word) || abbreviation.test(word)) return false;
  // In many languages "3." is "third".
  return !number.test(word) || language === 'en';
}

/** Of the scripts whose sentences begin with a capital; Georgian has capitals and does not use them so. */
const smallLetter =
  /^(?<before>["“„‘«¿¡([—–-]*)(?<first>[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}])/u;
/** iPhone, example.com, @name: written as they are. */
const ownSpelling = /\p{Lu}|[.@#/_]\p{L}/u;

function capitalised(text: string, language: string | null): string {
  const word = text.trim();
  const { before = '', first = '' } = smallLetter.exec(word)?.groups ?? {};
  const capital = first.toLocaleUpperCase(language ?? undefined);
  if (capital === first || capital.length !== first.length || ownSpelling.test(word)) return text;
  return (
    text.slice(0, text.length - word.length) + before + capital + word.slice(before.length + first.length)
  );
}

/** French sets a space before these; nobody sets one before a comma or a full stop. */
const spacedInFrench = /^[;:!?]/;
const detached = /^\s*(?<marks>[,.;:!?]+)(?=\s*$|\s*\p{L})/u;

/** Punctuation that stands alone or before a word belongs to the word before it; before the first word, to none. */
function withAttachedPunctuation(words: readonly TimedWord[], language: string | null): TimedWord[] {
  const attached: TimedWord[] = [];
  for (const word of words) {
    const last = attached.at(-1);
    const [whole = '', marks = ''] = detached.exec(word.text) ?? [];
    const space = language === 'fr' && spacedInFrench.test(marks) ? ' ' : '';
    if (last && marks !== '') last.text = withoutDoubles(last.text + space + marks);
    const rest = word.text.slice(whole.length);
    if (rest.trim() === '') {
      if (last) last.endSample = Math.max(last.endSample, word.endSample);
    } else attached.push({ ...word, text: withoutDoubles(whole === '' ? rest : ` ${rest.trim()}`) });
  }
  return attached;
}

/** A comma or the like that is repeated, or followed by the end of the sentence. Dots and question marks may be meant. */
function withoutDoubles(text: string): string {
  return text.replace(/([,;:])[,;:]+/gu, '$1').replace(/[,;:]+(?=[.!?])/gu, '');
}
