import { randomUUID } from 'node:crypto';
import type { Principal } from '../account/principal.ts';
import { editionStore } from './edition-store.ts';
import { type ImportFormat, importedLines } from './imported-lines.ts';
import { type EditionDeps, expectWhole, type Written, writeEdition } from './write-edition.ts';

/**
 * Puts the lines of a file in the place of the edition's. The lines before are deleted, not forgotten: whoever edits
 * one of them at this moment is told, and the machine's text is where it was.
 */
export async function importLines(
  deps: EditionDeps,
  { account }: Principal,
  { id, format, content }: { id: string; format: ImportFormat; content: string },
): Promise<Written> {
  const lines = await importedLines(format, content);
  return await writeEdition(deps, { accountId: account.id, id }, async (tx, standing) => {
    expectWhole(standing);
    const before = await editionStore.segments(tx, id);
    const names = [...new Set(lines.flatMap(({ speaker }) => speaker ?? []))];
    const idOf = new Map(names.map((name, index) => [name, `i${index}`]));
    return {
      segments: [
        ...before.map((segment) => ({ ...segment, isDeleted: true })),
        ...lines.map((line) => ({
          ...line,
          id: randomUUID(),
          speaker: line.speaker === null ? null : (idOf.get(line.speaker) ?? null),
          isDeleted: false,
        })),
      ],
      speakers: Object.fromEntries(names.map((name) => [idOf.get(name) ?? name, name])),
    };
  });
}
