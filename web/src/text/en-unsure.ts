/** Words that the machine was not sure of. */
export const enUnsure = {
  title: 'Unsure words',
  marks: 'Mark words that may be wrong:',
  sample: 'like this',
  previous: 'Previous',
  next: 'Next',
  nextUnsure: 'Next unsure word',
  all: (words: string, isOne: boolean) =>
    isOne ? 'The machine was unsure of one word.' : `The machine was unsure of ${words} words.`,
  current: (word: string, percent: number) => `“${word}”: ${percent} % sure`,
};
