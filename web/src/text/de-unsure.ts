import type { enUnsure } from './en-unsure.ts';

export const deUnsure: typeof enUnsure = {
  title: 'Unsichere Wörter',
  marks: 'Wörter markieren, die falsch sein können:',
  sample: 'wie hier',
  previous: 'Voriges',
  next: 'Nächstes',
  nextUnsure: 'Nächstes unsichere Wort',
  all: (words, isOne) =>
    isOne ? 'Bei einem Wort war die Maschine unsicher.' : `Bei ${words} Wörtern war die Maschine unsicher.`,
  current: (word, percent) => `„${word}“: ${percent} % sicher`,
};
