import { type CompleteMultipart, InvalidParts } from './object-store.ts';
import { plainEtag } from './part-etag.ts';

export interface StoredPart {
  partNumber: number;
  etag: string;
  sizeBytes: number;
}

/** Throws InvalidParts unless the client's list names every part once, in order, as it is stored. */
export function expectParts(
  stored: readonly StoredPart[],
  { parts, partSizesBytes }: CompleteMultipart,
): void {
  const byNumber = new Map(stored.map((part) => [part.partNumber, part]));
  if (parts.length === 0 || parts.length !== partSizesBytes.length)
    throw new InvalidParts('parts are missing');
  for (const [index, part] of parts.entries()) {
    const found = byNumber.get(part.partNumber);
    const matches =
      found !== undefined &&
      part.partNumber === index + 1 &&
      found.sizeBytes === partSizesBytes[index] &&
      plainEtag(found.etag) === plainEtag(part.etag);
    if (!matches) throw new InvalidParts(`part ${part.partNumber} is missing or differs`);
  }
}
