/** Where `longhand watch` lays the transcript of a recording. */
import { join, parse } from 'node:path';
import type { Format } from './transcribe-options.ts';

/**
 * `talk.mp3` becomes `talk.txt`; `talk.mp4.txt` where that name belongs to another recording. What was chosen once is
 * kept in the journal.
 */
export function transcriptPath(
  path: string,
  { folder, format, isTaken }: { folder: string; format: Format; isTaken(place: string): boolean },
): string {
  const { dir, name, base } = parse(path);
  const short = join(folder, dir, `${name}.${format}`);
  return isTaken(short) ? join(folder, dir, `${base}.${format}`) : short;
}
