import { requestText } from './request-text.ts';

const labelCharactersMax = 240;

/** A filename in a request: not blank, at most 240 characters. */
export const filename = requestText(labelCharactersMax)
  .refine((name) => name.trim() !== '')
  .meta({
    minLength: 1,
    pattern: '\\S',
    description: 'Kept as a label for people',
    examples: ['meeting.mp3'],
  });

export const filenameSentence = 'must be a text of 1 to 240 characters that is not blank.';

/**
 * A name as people gave it, fit to be shown: without control and direction characters, without a path, at most
 * 240 characters. It is never used as a path.
 */
export function labelOf(name: string, fallback: string): string {
  const cleaned = name
    .normalize('NFC')
    // Control characters, line and paragraph separators, bidirectional overrides, lone surrogates.
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .replace(/^.*[\\/](?=.)/su, '')
    .trim();
  const label = Array.from(cleaned).slice(0, labelCharactersMax).join('');
  return label || fallback;
}
