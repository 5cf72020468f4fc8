/** The waveform as the service stores it: see src/media/peaks.ts. Pairs of lowest and highest, -128 to 127. */
export interface Peaks {
  perSecond: number;
  overview: Int8Array;
  detail: Int8Array;
}

const headerBytes = 16;

export function parsedPeaks(buffer: ArrayBuffer): Peaks | undefined {
  if (buffer.byteLength < headerBytes) return undefined;
  const view = new DataView(buffer);
  const magic = String.fromCharCode(...new Uint8Array(buffer, 0, 4));
  const [perSecond, points, count] = [4, 8, 12].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
  ];
  if (magic !== 'LPK1' || headerBytes + 2 * (points + count) > buffer.byteLength) return undefined;
  return {
    perSecond,
    overview: new Int8Array(buffer, headerBytes, 2 * points),
    detail: new Int8Array(buffer, headerBytes + 2 * points, 2 * count),
  };
}

/** A pause shorter than this belongs to the talk. */
const silenceSecondsMin = 0.8;
/** What is left of a pause at its end, so that the next word does not come out of nothing. */
const silenceSecondsKept = 0.25;

/** Where the talk goes on, when there is silence at this time; undefined where somebody speaks, or soon will. */
export function afterSilence({ perSecond, detail }: Peaks, seconds: number): number | undefined {
  const count = detail.length / 2;
  const isQuiet = (at: number) => (detail[2 * at + 1] ?? 0) - (detail[2 * at] ?? 0) <= 3;
  let at = Math.floor(seconds * perSecond);
  const from = at;
  while (at < count && isQuiet(at)) at += 1;
  if (at >= count || (at - from) / perSecond < silenceSecondsMin) return undefined;
  return at / perSecond - silenceSecondsKept;
}
