/** A long transcript in pages: whole units while they fit, a unit that is too long in pieces. */
import { ApiError } from '../contract/errors.ts';

export interface TranscriptPage {
  pieces: { unit: number; text: string }[];
  returnedChars: number;
  totalChars: number;
  /** Null at the end. */
  nextCursor: string | null;
}

export const maxCharsDefault = 20_000;
export const maxCharsLeast = 500;
export const maxCharsMost = 100_000;

interface Position {
  unit: number;
  offset: number;
}

export function transcriptPage(
  units: readonly string[],
  { cursor, maxChars }: { cursor: string | undefined; maxChars: number },
): TranscriptPage {
  const pieces: TranscriptPage['pieces'] = [];
  let at: Position = cursor === undefined ? { unit: 0, offset: 0 } : positionOf(cursor);
  let room = maxChars;
  while (at.unit < units.length) {
    const rest = (units[at.unit] ?? '').slice(at.offset);
    if (rest.length <= room) {
      if (rest !== '') pieces.push({ unit: at.unit, text: rest });
      room -= rest.length;
      at = { unit: at.unit + 1, offset: 0 };
    } else {
      if (pieces.length > 0) break;
      const text = cutAtSpace(rest, room);
      pieces.push({ unit: at.unit, text });
      room -= text.length;
      at = { unit: at.unit, offset: at.offset + text.length };
      break;
    }
  }
  return {
    pieces,
    returnedChars: maxChars - room,
    totalChars: units.reduce((sum, unit) => sum + unit.length, 0),
    nextCursor: at.unit < units.length ? `${at.unit}.${at.offset}` : null,
  };
}

function positionOf(cursor: string): Position {
  const match = /^([0-9]{1,8})\.([0-9]{1,9})$/.exec(cursor);
  if (!match)
    throw new ApiError('invalid_request', {
      message: 'cursor must be the next_cursor of the answer before, with the same format.',
    });
  return { unit: Number(match[1]), offset: Number(match[2]) };
}

/** Between words where there is a space, never inside a character. */
function cutAtSpace(text: string, room: number): string {
  const space = text.lastIndexOf(' ', room - 1);
  if (space > room / 2) return text.slice(0, space + 1);
  const isInsideCharacter = (text.charCodeAt(room - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isInsideCharacter ? room - 1 : room);
}
