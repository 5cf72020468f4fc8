import { type CompleteMultipart, InvalidParts, type StoredPart } from './object-store.ts';
import { plainEtag } from './part-etag.ts';

/** Throws InvalidParts unless the client's list names every part once, in order. Asked before the store is. */
export function expectPlan({ parts, partSizesBytes }: CompleteMultipart): void {
  if (parts.length === 0 || parts.length !== partSizesBytes.length)
    throw new InvalidParts('there are too few or too many parts');
  const misplaced = parts.find(({ partNumber }, index) => partNumber !== index + 1);
  if (misplaced) throw new InvalidParts(`part ${misplaced.partNumber} is not in its place`);
}

/** Throws InvalidParts unless every part of the client's list is stored as the list says. */
export function expectParts(
  stored: readonly StoredPart[],
  { parts, partSizesBytes }: CompleteMultipart,
): void {
  const byNumber = new Map(stored.map((part) => [part.partNumber, part]));
  for (const [index, part] of parts.entries()) {
    const found = byNumber.get(part.partNumber);
    const matches =
      found !== undefined &&
      found.sizeBytes === partSizesBytes[index] &&
      plainEtag(found.etag) === plainEtag(part.etag);
    if (!matches) throw new InvalidParts(`part ${part.partNumber} is missing or differs`);
  }
}
