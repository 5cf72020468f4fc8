/** A recognizer's text without what is hallucinated: names of sounds, loops, more text than the speech can hold. */

/** The fastest talkers reach 25 characters in a second of voice; more is hallucinated. */
const charactersPerSecondMax = 35;
const charactersAlwaysAllowed = 3;
/** Names of sounds: `[Music]`, `(applause)`, `♪`. */
const soundNames = /\[[^\]]*\]|\([^)]*\)|[♪♫]+/gu;
const repetitionsMax = 4;
const phraseWordsMax = 12;

export function spokenText(text: string, voicedSeconds: number): string {
  const cleaned = cutRepetitions(text.replace(soundNames, ' ').replace(/\s+/gu, ' ').trim());
  if (!/[\p{L}\p{N}]/u.test(cleaned)) return '';
  if (cleaned.length > charactersAlwaysAllowed + charactersPerSecondMax * voicedSeconds) return '';
  return cleaned;
}

/**
 * Decoders fall into loops. A phrase of up to twelve words that stands
 * more than four times in a row is kept once; people who say "no, no, no, no" keep their four.
 */
export function cutRepetitions(text: string): string {
  const words = text.split(' ');
  const kept: string[] = [];
  for (let at = 0; at < words.length; ) {
    const loop = loopAt(words, at);
    kept.push(...words.slice(at, at + (loop?.length ?? 1)));
    at += loop ? loop.length * loop.rounds : 1;
  }
  return kept.length === words.length ? text : kept.join(' ');
}

function loopAt(words: readonly string[], at: number): { length: number; rounds: number } | undefined {
  for (let length = 1; length <= phraseWordsMax; length++) {
    let same = 0;
    while (at + same + length < words.length && bare(words[at + same]) === bare(words[at + same + length]))
      same++;
    const rounds = Math.floor(same / length) + 1;
    if (rounds > repetitionsMax) return { length, rounds };
  }
  return undefined;
}

function bare(word: string | undefined): string {
  return (word ?? '').toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
