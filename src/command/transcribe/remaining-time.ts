import { extensionOf } from '../../media/accepted-media.ts';
import type { Recording } from './recordings.ts';

/** Usual bytes for a second, by kind: only for the first guess, before anything is decoded. */
const pcmExtensions: ReadonlySet<string> = new Set(['wav', 'aif', 'aiff', 'au', 'caf']);
const videoExtensions: ReadonlySet<string> = new Set([
  'mp4',
  'm4v',
  'mov',
  'mkv',
  'webm',
  'avi',
  'mpg',
  'mpeg',
]);
const bytesPerSecond = { pcm: 88_000, flac: 50_000, video: 250_000, compressed: 16_000 };
/** A recording of which nothing is known. */
const unknownSeconds = 600;
/** Seconds of audio in a second, for each worker; twenty were measured on a free core. */
const speedPerWorker = 12;
const startSeconds = 2;
/** The first tenth is fetching and decoding, whose share is a guess itself; from three tenths on what was measured counts alone. */
const fractionTelling = { from: 0.1, wholly: 0.3 };
/** A guess that has run out is wrong; as much again as a third of the time so far is the next one. */
const overrunShare = 1 / 3;

/** A guess of how long the work will take, from names and sizes alone. */
export function expectedSeconds(recordings: readonly Recording[], workers: number): number {
  const audio = recordings.reduce((sum, recording) => sum + guessedLength(recording), 0);
  return startSeconds + audio / (speedPerWorker * workers);
}

function guessedLength({ media }: Recording): number {
  if (media.kind !== 'file') return unknownSeconds;
  const extension = extensionOf(media.path) ?? '';
  if (pcmExtensions.has(extension)) return media.sizeBytes / bytesPerSecond.pcm;
  if (videoExtensions.has(extension)) return media.sizeBytes / bytesPerSecond.video;
  return media.sizeBytes / (extension === 'flac' ? bytesPerSecond.flac : bytesPerSecond.compressed);
}

/** Seconds that are left: at first by the guess, then more and more by how the work went so far. */
export function remainingSeconds(
  expected: number,
  { elapsedSeconds, fraction }: { elapsedSeconds: number; fraction: number },
): number {
  const guessed = Math.max(expected * (1 - fraction), elapsedSeconds * overrunShare);
  const { from, wholly } = fractionTelling;
  const trust = Math.min(1, Math.max(0, (fraction - from) / (wholly - from)));
  if (trust === 0) return guessed;
  const measured = (elapsedSeconds * (1 - fraction)) / fraction;
  return trust * measured + (1 - trust) * guessed;
}
