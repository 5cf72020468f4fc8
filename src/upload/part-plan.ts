const mebibyte = 1024 * 1024;
/** S3 allows parts of 5 MiB to 5 GiB and 10,000 of them; 16 MiB is what the interface promises. */
const partSizeBytesMin = 16 * mebibyte;
export const partsMax = 10_000;

/** 16 MiB × 10,000 is 156 GiB; a plan that allows larger files gets larger parts, in whole MiB. */
export function partSizeFor(sizeBytes: number): number {
  return Math.max(partSizeBytesMin, Math.ceil(sizeBytes / partsMax / mebibyte) * mebibyte);
}

/** One size for each part, in order; all are equal but the last. */
export function partSizes(sizeBytes: number, partSizeBytes: number): number[] {
  return Array.from({ length: Math.ceil(sizeBytes / partSizeBytes) }, (_, index) =>
    Math.min(partSizeBytes, sizeBytes - index * partSizeBytes),
  );
}
