import type { Queryable } from '../platform/database/database.ts';
import type { KnownVoice } from '../speech/speaker/named-turns.ts';

/** A person whose voice the caller of a job has a recording of. */
export interface KnownSpeaker {
  name: string;
  /** Any media, of a few seconds. */
  recording: Buffer;
}

export const knownSpeakerStore = {
  async insertAll(tx: Queryable, transcriptionId: string, speakers: readonly KnownSpeaker[]): Promise<void> {
    for (const [position, { name, recording }] of speakers.entries()) {
      await tx.query(
        'insert into known_speaker (transcription_id, position, name, recording) values ($1, $2, $3, $4)',
        [transcriptionId, position, name, recording],
      );
    }
  },

  /** Those that are not embedded yet. */
  async recordings(
    db: Queryable,
    transcriptionId: string,
  ): Promise<{ position: number; recording: Buffer }[]> {
    return await db.query<{ position: number; recording: Buffer }>(
      `select position, recording from known_speaker
       where transcription_id = $1 and recording is not null order by position`,
      [transcriptionId],
    );
  },

  /** recording → voice. A repetition changes nothing. */
  async markEmbedded(
    db: Queryable,
    transcriptionId: string,
    { position, voice, model }: { position: number; voice: string; model: string },
  ): Promise<void> {
    await db.query(
      `update known_speaker set recording = null, voice = $3, model = $4
       where transcription_id = $1 and position = $2 and recording is not null`,
      [transcriptionId, position, voice, model],
    );
  },

  async voices(db: Queryable, transcriptionId: string): Promise<KnownVoice[]> {
    return await db.query<KnownVoice>(
      `select name, voice, model from known_speaker
       where transcription_id = $1 and voice is not null order by position`,
      [transcriptionId],
    );
  },

  async deleteAll(db: Queryable, transcriptionId: string): Promise<void> {
    await db.query('delete from known_speaker where transcription_id = $1', [transcriptionId]);
  },
};
