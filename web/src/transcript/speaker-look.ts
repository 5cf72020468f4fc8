/** How a speaker is shown: by name, or by number as the machine counted. */
import { text } from '../text.ts';
import type { Line } from './line.ts';

const voices = 8;

export function nameOfSpeaker(speaker: string, named: Readonly<Record<string, string>>): string {
  const name = Object.hasOwn(named, speaker) ? named[speaker] : undefined;
  if (name) return name;
  if (/^\d+$/.test(speaker)) return text.transcript.speaker(Number(speaker) + 1);
  return /^s[0-9a-f]{16}$/.test(speaker) ? text.transcript.unnamed : speaker;
}

/** One of the eight colours, by the place among the speakers. */
export function voiceOfSpeaker(speaker: string | null, ids: readonly string[]): number | undefined {
  const at = speaker === null ? -1 : ids.indexOf(speaker);
  return at < 0 ? undefined : (at % voices) + 1;
}

/** Ids of all who speak or have a name, in the order in which the machine counted them; people's own follow. */
export function speakersIn(lines: readonly Line[], named: Readonly<Record<string, string>>): string[] {
  const ids = new Set<string>();
  for (const { speaker } of lines) if (speaker !== null) ids.add(speaker);
  for (const id of Object.keys(named)) ids.add(id);
  const isMachine = (id: string) => /^\d+$/.test(id);
  return [...ids].sort((a, b) =>
    isMachine(a) && isMachine(b) ? Number(a) - Number(b) : Number(isMachine(b)) - Number(isMachine(a)),
  );
}
