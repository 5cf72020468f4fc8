/** The client's types are written by hand for readers; this file does not compile when they leave the service's schemas. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as client from 'longhand-client';
import type { z } from 'zod';
import type {
  createdTranscription,
  createTranscriptionBody,
  transcription,
  transcriptionListItem,
} from '../../src/contract/transcription.ts';
import type { transcriptionEvent } from '../../src/contract/transcription-event.ts';
import type { multipartState, prepareUploadBody, uploadTarget } from '../../src/contract/upload.ts';
import type { createdSubscription, listedSubscription, webhookEvent } from '../../src/contract/webhook.ts';

type Same<Ours, Theirs> = [Ours] extends [Theirs] ? ([Theirs] extends [Ours] ? true : never) : never;
type Answer<Schema extends z.ZodType> = z.output<Schema>;

/** Each entry is `true`, or this file does not compile. */
const answers: [
  Same<Answer<typeof createdTranscription>, client.CreatedTranscription>,
  Same<Answer<typeof transcription>, client.Transcription>,
  Same<Answer<typeof transcriptionListItem>, client.TranscriptionListItem>,
  Same<Answer<typeof transcriptionEvent>, client.TranscriptionEvent['data']>,
  Same<Answer<typeof uploadTarget>, client.UploadTarget>,
  Same<Answer<typeof multipartState>, client.MultipartState>,
  Same<Answer<typeof createdSubscription>, client.CreatedWebhookSubscription>,
  Same<Answer<typeof listedSubscription>, client.WebhookSubscription>,
  Same<Answer<typeof webhookEvent>, client.WebhookEvent>,
] = [true, true, true, true, true, true, true, true, true];

/** What the client sends is something that the service takes. */
type Takes<Sent, Schema extends z.ZodType> = [Sent] extends [z.input<Schema>] ? true : never;
const requests: [
  Takes<client.CreateTranscription, typeof createTranscriptionBody>,
  Takes<client.PrepareUpload, typeof prepareUploadBody>,
] = [true, true];

test('the types of the client are those of the service', () => {
  assert.ok([...answers, ...requests].every(Boolean));
});
