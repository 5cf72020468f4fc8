/** What somebody looks for in a text: their words, never a pattern language. */
export interface TextPattern {
  find: string;
  matchCase: boolean;
  wholeWords: boolean;
}

/**
 * Finds it anywhere, as often as it occurs; white space in it stands for any white space. That is looked for from the
 * beginning of a run only: from each of its characters, a run of thousands would take the square of its length.
 */
export function textPattern({ find, matchCase, wholeWords }: TextPattern): RegExp {
  const literal = find.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/gu, '(?<!\\s)\\s+');
  const whole = wholeWords ? `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])` : literal;
  return new RegExp(whole, matchCase ? 'gu' : 'giu');
}
