/** What is left of a recognizer's text after everything that nobody can have said is taken out. */

/** The fastest talkers reach 25 characters in a second of voice; more in so little voice was made up. */
const charactersPerSecondMax = 35;
const charactersAlwaysAllowed = 3;
/** Words that stand for sounds: `[Music]`, `(applause)`, `♪`. */
const soundMarks = /\[[^\]]*\]|\([^)]*\)|[♪♫]+/gu;
const repetitionsMax = 4;

export function spokenText(text: string, voicedSeconds: number): string {
  const cleaned = cutRepetitions(text.replace(soundMarks, ' ').replace(/\s+/gu, ' ').trim());
  if (!/[\p{L}\p{N}]/u.test(cleaned)) return '';
  if (cleaned.length > charactersAlwaysAllowed + charactersPerSecondMax * voicedSeconds) return '';
  return cleaned;
}

/**
 * Recognizers that lose the thread say the same thing again and again. A phrase of up to twelve words that stands
 * more than four times in a row is kept once; people who say "no, no, no, no" keep their four.
 */
export function cutRepetitions(text: string): string {
  const words = text.split(' ');
  const kept: string[] = [];
  for (const word of words) {
    kept.push(word);
    for (let length = 1; length <= 12; length++) {
      if (repeats(kept, length, repetitionsMax + 1)) {
        kept.splice(kept.length - length);
        break;
      }
    }
  }
  if (kept.length === words.length) return text;
  for (let length = 1; length <= 12; length++) {
    while (repeats(kept, length, repetitionsMax)) kept.splice(kept.length - length);
  }
  return kept.join(' ');
}

function repeats(words: readonly string[], length: number, times: number): boolean {
  const from = words.length - length * times;
  if (from < 0) return false;
  for (let i = from; i < words.length - length; i++) {
    if (bare(words[i]) !== bare(words[i + length])) return false;
  }
  return true;
}

function bare(word: string | undefined): string {
  return (word ?? '').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
