import type { Queryable } from '../platform/database/database.ts';
import { segmentWords } from '../transcript/segment-words.ts';
import { srt, vtt } from '../transcript/subtitle/subtitles.ts';
import type { CompletedTranscription } from '../transcription/transcription.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';

export type SubtitleFormat = 'srt' | 'vtt';

/** About a hundred hours of speech. */
const keptCharactersMax = 8_000_000;

/** Subtitles in the units that pages are made of: rendered once for all pages of a transcript as it stands now. */
export class SubtitleUnits {
  readonly #charactersMax: number;
  /** The longest unused first. */
  readonly #kept = new Map<string, { units: string[]; characters: number }>();
  #characters = 0;

  constructor(charactersMax = keptCharactersMax) {
    this.#charactersMax = charactersMax;
  }

  /** For one who may read the job. */
  async of(db: Queryable, job: CompletedTranscription, format: SubtitleFormat): Promise<string[]> {
    // Another text has another time, so that none is shown after it was edited.
    const key = `${job.id} ${format} ${job.updatedAt.getTime()}`;
    const known = this.#kept.get(key);
    const units = known?.units ?? (await rendered(db, job, format));
    this.#keep(key, units);
    return units;
  }

  #keep(key: string, units: string[]): void {
    this.#drop(key);
    const characters = units.reduce((sum, unit) => sum + unit.length, 0);
    if (characters > this.#charactersMax) return;
    this.#kept.set(key, { units, characters });
    this.#characters += characters;
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.#charactersMax) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#characters -= this.#kept.get(key)?.characters ?? 0;
    this.#kept.delete(key);
  }
}

async function rendered(
  db: Queryable,
  { id, segments }: CompletedTranscription,
  format: SubtitleFormat,
): Promise<string[]> {
  const words = (await transcriptionStore.words(db, id)) ?? segmentWords(segments);
  return (format === 'srt' ? srt(words) : vtt(words)).split(/(?<=\n\n)/);
}
