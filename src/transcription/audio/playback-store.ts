import type { Queryable } from '../../platform/database/database.ts';
import type { Source } from '../transcription.ts';
import type { Playback, PlaybackMedia } from './playback.ts';

export const playbackStore = {
  /** The one that decodes a job again replaces what it made before. */
  async put(tx: Queryable, transcriptionId: string, { peaks, media }: Playback): Promise<void> {
    await tx.query(
      `insert into playback (transcription_id, peaks, media) values ($1, $2, $3)
       on conflict (transcription_id) do update set peaks = excluded.peaks, media = excluded.media`,
      [transcriptionId, peaks, media],
    );
  },

  /** Of a job from before this was made, neither. */
  async find(db: Queryable, transcriptionId: string): Promise<Playback> {
    const [row] = await db.query<Playback & Record<string, unknown>>(
      'select peaks, media from playback where transcription_id = $1',
      [transcriptionId],
    );
    return { peaks: row?.peaks ?? null, media: row?.media ?? null };
  },

  /** From where a completed job was made, and the copy of it that browsers play. */
  async recording(
    db: Queryable,
    transcriptionId: string,
  ): Promise<{ source: Source; media: PlaybackMedia | null } | undefined> {
    const [row] = await db.query<{ source: Source; media: PlaybackMedia | null }>(
      `select source, playback.media from transcription left join playback on transcription_id = id
       where id = $1 and status = 'completed'`,
      [transcriptionId],
    );
    return row;
  },
};
