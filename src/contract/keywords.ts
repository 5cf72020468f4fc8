/** Names and terms that a caller expects in a recording. */

export const keywordsMax = 100;
export const keywordCharactersMax = 50;
export const promptCharactersMax = 4000;

export const keywordsSentence = `at most ${keywordsMax} names or terms of up to ${keywordCharactersMax} characters each`;

/** Each once, without needless space; undefined for more than may be given, or one that is no text. */
export function keywordsOf(given: readonly string[]): string[] | undefined {
  const terms = [...new Set(given.map((term) => term.trim().replace(/\s+/gu, ' ')))].filter(Boolean);
  const isTerm = (term: string) => [...term].length <= keywordCharactersMax && !/[\p{Cc}\p{Cs}]/u.test(term);
  return terms.length <= keywordsMax && terms.every(isTerm) ? terms : undefined;
}

/** A list of names, as people write it: with commas, semicolons or lines between them. */
export function keywordsOfList(list: string): string[] | undefined {
  return keywordsOf(list.split(/[,;\n]/u));
}

const sentenceEnd = /[.!?:]["'”’)]*$/u;
const capital = /^\p{Lu}/u;
/** ComfyUI, H264, B-52: nobody writes a common word so. */
const ownSpelling = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}|\p{L}-?\p{N}|\p{N}-?\p{L}/u;
const wordsOfItemMax = 3;

/**
 * The names in a text that describes a recording. A list of short items is taken as it is; of sentences, what has a
 * capital without beginning a sentence, and what has capitals or digits inside. Not more than may be given.
 */
export function namesInPrompt(prompt: string): string[] {
  const items = prompt
    .trim()
    .replace(/\.$/u, '')
    .split(/[,;\n]/u)
    .map((item) => item.trim())
    .filter(Boolean);
  const isList = items.length > 1 && items.every((item) => item.split(/\s+/u).length <= wordsOfItemMax);
  const names = isList ? items : namesInSentences(prompt);
  const fitting = names.filter((name) => [...name].length <= keywordCharactersMax);
  return keywordsOf(fitting.slice(0, keywordsMax)) ?? [];
}

function namesInSentences(prompt: string): string[] {
  const names: string[] = [];
  let before = '.';
  let joins = false;
  for (const word of prompt.split(/\s+/u).filter(Boolean)) {
    const bare = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '').replace(/['’]s$/u, '');
    const isName =
      ownSpelling.test(bare) || (capital.test(bare) && bare.length > 1 && !sentenceEnd.test(before));
    // Capitals that follow each other are one name.
    if (isName && joins) names.push(`${names.pop()} ${bare}`);
    else if (isName) names.push(bare);
    joins = isName && /[\p{L}\p{N}]$/u.test(word);
    before = word;
  }
  return names;
}
