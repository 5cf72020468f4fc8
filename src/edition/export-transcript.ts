import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { Database } from '../platform/database/database.ts';
import { editedWords } from '../transcript/edited-words.ts';
import { speakerLabel } from '../transcript/speaker-label.ts';
import type { CueLimits } from '../transcript/subtitle/cue-lines.ts';
import { srt, vtt } from '../transcript/subtitle/subtitles.ts';
import type { TranscriptWord } from '../transcript/transcript-word.ts';
import { documentOf } from './document.ts';
import { type Edition, editedSegments, machineEdition } from './edition.ts';
import { editionStore } from './edition-store.ts';
import { heardWordsStore } from './heard-words-store.ts';
import { readEdition } from './read-edition.ts';
import { readableText } from './readable-text.ts';

export type ExportFormat = 'txt' | 'srt' | 'vtt' | 'json' | 'docx';

export interface ExportOptions {
  format: ExportFormat;
  /** The machine's text instead of the edited one. */
  isMachine: boolean;
  hasTimes: boolean;
  limits: CueLimits;
}

export interface ExportedFile {
  contentType: string;
  body: string | Buffer;
}

/** A transcript as a file to take away, with the names that people gave. */
export async function exportTranscript(
  { db }: { db: Database },
  principal: Principal,
  { id, title, options }: { id: string; title: string; options: ExportOptions },
): Promise<ExportedFile> {
  const edition = options.isMachine
    ? await machineTextOf(db, principal.account.id, id)
    : await readEdition({ db }, principal, id);
  const segments = editedSegments(edition);
  switch (options.format) {
    case 'txt':
      return { contentType: 'text/plain; charset=utf-8', body: readableText(segments, options) };
    case 'json': {
      const whole = { title, segments };
      return { contentType: 'application/json; charset=utf-8', body: `${JSON.stringify(whole, null, 1)}\n` };
    }
    case 'docx':
      return { contentType: docxType, body: await documentOf(title, segments, options) };
    case 'srt':
      return { contentType: 'application/x-subrip; charset=utf-8', body: srt(await words(), options.limits) };
    case 'vtt':
      return { contentType: 'text/vtt; charset=utf-8', body: vtt(await words(), options.limits) };
  }
  async function words(): Promise<TranscriptWord[]> {
    return wordsOf(edition, await heardWordsStore.all(db, id));
  }
}

const docxType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

async function machineTextOf(db: Database, accountId: string, id: string): Promise<Edition> {
  const machine = await editionStore.machineText(db, accountId, id);
  if (!machine) throw new ApiError('not_found');
  return machineEdition(machine.segments);
}

/** The lines' words with their times; the machine's words are walked along with them. */
function wordsOf(edition: Edition, heard: readonly TranscriptWord[]): TranscriptWord[] {
  const speakers = editedSegments(edition);
  let from = 0;
  return speakers.flatMap(({ start, end, text, speaker }) => {
    const [startMs, endMs] = [Math.round(start * 1000), Math.round(end * 1000)];
    // Lines come in order of time, so that a word long before this one concerns none that follows.
    while ((heard[from]?.[2] ?? Number.POSITIVE_INFINITY) < startMs) from += 1;
    let to = from;
    while ((heard[to]?.[1] ?? Number.POSITIVE_INFINITY) <= endMs) to += 1;
    const line = {
      startMs,
      endMs,
      text,
      ...(speaker === undefined ? {} : { speaker: speakerLabel(speaker) }),
    };
    return editedWords(line, heard.slice(from, to));
  });
}
