/** What somebody looks for, as words that PostgreSQL can compare with those of a passage. */

const wordsMax = 16;
/** Shorter words are looked for as they are: with anything behind them they would mean too much. */
const prefixCharactersMin = 4;
/** Without spaces between words: each character is a word of its own, as in the function `search_words`. */
const unspaced = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]/gu;
const separator = /[^\p{Alphabetic}\p{Nd}\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+/u;

export interface SearchQuery {
  /** For `to_tsquery`: nothing but quoted words and operators of our own. */
  tsquery: string;
  words: readonly string[];
}

/**
 * All words of the query, each also as the beginning of a longer one; words in quotation marks only as they stand, one
 * after the other. Undefined when it has no word.
 */
export function searchQuery(text: string): SearchQuery | undefined {
  const terms: string[] = [];
  const words: string[] = [];
  for (const [index, part] of text.split(/["“”„«»]/u).entries()) {
    const isPhrase = index % 2 === 1;
    for (const run of isPhrase ? [part] : part.split(/\s+/u)) {
      const found = searchWords(run).slice(0, wordsMax - words.length);
      if (found.length === 0) continue;
      words.push(...found);
      terms.push(`(${found.map((word) => termOf(word, isPhrase || found.length > 1)).join(' <-> ')})`);
    }
  }
  return words.length === 0 ? undefined : { tsquery: terms.join(' & '), words };
}

/** The words of a text as they are compared: the same as the function `search_words` makes of it. */
export function searchWords(text: string): string[] {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/gu, '')
    .normalize('NFKC')
    .replace(unspaced, ' $& ')
    .split(separator)
    .filter((word) => word !== '');
}

function termOf(word: string, isExact: boolean): string {
  return isExact || word.length < prefixCharactersMin ? `'${word}'` : `'${word}':*`;
}
