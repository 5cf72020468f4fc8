import { z } from 'zod';

/** No URL that anyone sends us, or leads us to, may be longer. */
export const urlCharactersMax = 8_192;

/** Characters as JSON Schema counts them, and people: Unicode code points. The one way in which limits are counted. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * Text in a request, at most so many characters. It must be Unicode: half of a surrogate pair has no UTF-8 form, so
 * neither the database nor a receiver could ever be given it.
 */
export function requestText(charactersMax: number) {
  return z
    .string()
    .refine((text) => text.isWellFormed() && characterCount(text) <= charactersMax)
    .meta({ maxLength: charactersMax });
}
