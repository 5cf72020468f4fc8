/** What somebody looks for in a text: their words, never a pattern language. */
export interface TextPattern {
  find: string;
  matchCase: boolean;
  wholeWords: boolean;
}

/** Finds it anywhere, as often as it occurs; white space in it stands for any white space. */
export function textPattern({ find, matchCase, wholeWords }: TextPattern): RegExp {
  const literal = find.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/gu, '\\s+');
  const whole = wholeWords ? `(?<![\\p{L}\\p{N}_])${literal}(?![\\p{L}\\p{N}_])` : literal;
  return new RegExp(whole, matchCase ? 'gu' : 'giu');
}
