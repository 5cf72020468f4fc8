/** Word error rate as the field measures it: case, punctuation and the spelling of numbers make no difference. */

export interface WordErrors {
  referenceWords: number;
  wrongWords: number;
}

const ones = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
  'fifteen',
  'sixteen',
  'seventeen',
  'eighteen',
  'nineteen',
];
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

/** Lower case, without punctuation, numbers spelled out, hyphens as spaces, "Mr." as "mister". */
export function comparableWords(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(/\bmr\b\.?/g, 'mister')
    .replaceAll(/\bmrs\b\.?/g, 'missus')
    .replaceAll(/(?<=\d),(?=\d{3}\b)/g, '')
    .replaceAll(/\d+/g, (digits) => ` ${spelledOut(Number(digits))} `)
    .replaceAll(/[^\p{L}\p{M}'\s]/gu, ' ')
    .split(/\s+/)
    .map((word) => word.replaceAll(/^'+|'+$/g, ''))
    .filter(Boolean);
}

/** Up to 9,999, with years the way people say them: 1813 is eighteen thirteen. */
function spelledOut(number: number): string {
  if (number >= 1100 && number <= 1999 && number % 100 >= 10)
    return `${spelledOut(Math.floor(number / 100))} ${spelledOut(number % 100)}`;
  if (number < 20) return ones[number] ?? '';
  if (number < 100)
    return [tens[Math.floor(number / 10)], number % 10 ? ones[number % 10] : ''].join(' ').trim();
  if (number < 1000)
    return `${ones[Math.floor(number / 100)]} hundred ${number % 100 ? spelledOut(number % 100) : ''}`.trim();
  if (number < 10_000)
    return `${ones[Math.floor(number / 1000)]} thousand ${number % 1000 ? spelledOut(number % 1000) : ''}`.trim();
  return [...String(number)].map((digit) => ones[Number(digit)]).join(' ');
}

export function wordErrors(reference: string, hypothesis: string): WordErrors {
  const expected = comparableWords(reference);
  return { referenceWords: expected.length, wrongWords: editDistance(expected, comparableWords(hypothesis)) };
}

/** Insertions, deletions and substitutions between two sequences, the least there can be. */
export function editDistance(reference: readonly string[], hypothesis: readonly string[]): number {
  let row = Uint32Array.from({ length: hypothesis.length + 1 }, (_, index) => index);
  for (const [index, word] of reference.entries()) {
    const next = new Uint32Array(row.length);
    next[0] = index + 1;
    for (const [column, other] of hypothesis.entries()) {
      const substitution = (row[column] ?? 0) + (word === other ? 0 : 1);
      next[column + 1] = Math.min(substitution, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1);
    }
    row = next;
  }
  return row[hypothesis.length] ?? 0;
}

export function percent({ wrongWords, referenceWords }: WordErrors): number {
  return (100 * wrongWords) / Math.max(1, referenceWords);
}
