import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import { editionStore } from './edition-store.ts';
import { type EditionDeps, expectWhole, type Written, writeEdition } from './write-edition.ts';

export interface TimeShift {
  id: string;
  /** Later, or earlier when negative. */
  byMs: number;
  /** Lines that begin in here. */
  fromMs: number;
  toMs: number | null;
}

/** Moves lines in time, all by the same. Refused when one would begin before the recording: nothing is squeezed. */
export async function shiftTimes(
  deps: EditionDeps,
  { account }: Principal,
  { id, byMs, fromMs, toMs }: TimeShift,
): Promise<Written> {
  return await writeEdition(deps, { accountId: account.id, id }, async (tx, standing) => {
    expectWhole(standing);
    const segments = await editionStore.segments(tx, id);
    const moved = segments.filter(
      ({ startMs }) => startMs >= fromMs && startMs <= (toMs ?? Number.POSITIVE_INFINITY),
    );
    if (moved.some(({ startMs }) => startMs + byMs < 0))
      throw new ApiError('invalid_request', {
        message: 'A line would begin before the recording does. Shift by less.',
      });
    if (byMs === 0) return {};
    return {
      segments: moved.map((segment) => ({
        ...segment,
        startMs: segment.startMs + byMs,
        endMs: segment.endMs + byMs,
        isDeleted: false,
      })),
    };
  });
}
