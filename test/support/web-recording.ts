/** A recording that a person put down in the web product, as its pages send it. */
import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import type { WebClient } from './web-client.ts';

interface Prepared {
  key: string;
  storage: string;
  upload: { method: string; url: string; headers: Record<string, string> };
}

interface SentRecording {
  filename: string;
  contentType: string;
  bytes: Buffer;
  speakers?: boolean;
}

/** Gives the id of the job. */
export async function sendRecording(web: WebClient, recording: SentRecording): Promise<string> {
  const { filename, contentType, bytes, speakers = false } = recording;
  const described = { filename, size: bytes.length, content_type: contentType };
  const prepared = await web.send('POST', '/api/v1/uploads', { ...described, speaker_diarization: speakers });
  const { key, storage, upload } = (prepared.body as { data: Prepared }).data;
  const { method, url, headers } = upload;
  const stored = await fetch(new URL(url, web.url), { method, headers, body: new Uint8Array(bytes) });
  assert.equal(stored.status, 200);
  const body = { upload: { ...described, key, storage }, speaker_diarization: speakers };
  const created = await web.send('POST', '/api/v1/transcriptions', body);
  assert.equal(created.status, 202, JSON.stringify(created.body));
  return (created.body as { data: { id: string } }).data.id;
}

interface WebTranscript {
  status: string;
  duration_seconds: number | null;
  published_at: string | null;
  has_peaks: boolean;
  media: { type: string; is_video: boolean } | null;
  edition: {
    revision: number;
    speakers: Record<string, string>;
    segments: {
      id: string;
      revision: number;
      start_ms: number;
      end_ms: number;
      text: string;
      speaker: string | null;
    }[];
  } | null;
}

export async function readTranscript(web: WebClient, id: string): Promise<WebTranscript> {
  const { status, body } = await web.send('GET', `/web/transcriptions/${id}/transcript`);
  assert.equal(status, 200, JSON.stringify(body));
  return (body as { data: WebTranscript }).data;
}

/** A busy machine takes its time. */
const transcribedWithinMs = 180_000;

export async function transcribed(web: WebClient, recording: SentRecording): Promise<string> {
  const id = await sendRecording(web, recording);
  await eventually(
    async () => {
      const { status } = await readTranscript(web, id);
      assert.notEqual(status, 'failed');
      return status === 'completed' || undefined;
    },
    'the transcript',
    transcribedWithinMs,
  );
  return id;
}
