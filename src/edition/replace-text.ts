import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import { type TextPattern, textPattern } from '../transcript/text-pattern.ts';
import { editionStore } from './edition-store.ts';
import { type EditionDeps, type Written, writeEdition } from './write-edition.ts';

/** A line does not grow beyond this, whatever it is replaced by. */
const textCharactersMax = 20_000;

/** Replaces a text everywhere at once. The answer has every line that changed. */
export async function replaceText(
  deps: EditionDeps,
  { account }: Principal,
  { id, pattern, replacement }: { id: string; pattern: TextPattern; replacement: string },
): Promise<Written> {
  const found = textPattern(pattern);
  return await writeEdition(deps, { accountId: account.id, id }, async (tx) => {
    const segments = await editionStore.segments(tx, id);
    const changed = segments.flatMap((segment) => {
      const text = segment.text.replace(found, () => replacement);
      if (text.length > textCharactersMax) throw tooLong();
      return text === segment.text ? [] : [{ ...segment, text, isDeleted: false }];
    });
    return { segments: changed };
  });
}

function tooLong(): ApiError {
  return new ApiError('invalid_request', {
    message: `A line would become longer than ${textCharactersMax} characters. Nothing was replaced.`,
  });
}
