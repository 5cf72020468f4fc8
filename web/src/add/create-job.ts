import type { UploadReference } from 'longhand-client';
import { lookNow } from '../library/library.ts';
import { longhand } from '../request.ts';
import { toast } from '../toast.tsx';

/** True when the job was made; else the person was told why not. */
export async function createFromLink(link: string, speakers: boolean): Promise<boolean> {
  try {
    await longhand.transcriptions.create({ source_url: link, speaker_diarization: speakers });
    lookNow();
    return true;
  } catch (error) {
    toast((error as Error).message, { isBad: true });
    return false;
  }
}

/** Under the upload's own id: a repetition after a lost answer makes no second job. */
export async function createFromUpload(
  upload: UploadReference,
  { speakers, idempotencyKey }: { speakers: boolean; idempotencyKey: string },
): Promise<void> {
  await longhand.transcriptions.create({ upload, speaker_diarization: speakers }, { idempotencyKey });
  lookNow();
}
