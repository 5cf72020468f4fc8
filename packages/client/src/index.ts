/** Typed client for Longhand. `new Longhand({ apiKey, baseUrl })`, then `transcribe`, `uploads`, `transcriptions`, `webhooks`. */
import { Transcriptions } from './transcriptions.ts';
import { type LonghandOptions, Transport } from './transport.ts';
import { Uploads } from './uploads.ts';
import { Webhooks } from './webhooks.ts';

export class Longhand {
  declare readonly transcriptions: Transcriptions;
  declare readonly uploads: Uploads;
  declare readonly webhooks: Webhooks;

  constructor(options: LonghandOptions) {
    const transport = new Transport(options);
    this.uploads = new Uploads(transport);
    this.transcriptions = new Transcriptions(transport, this.uploads);
    this.webhooks = new Webhooks(transport);
  }
}

export { LonghandError } from './error.ts';
export {
  type CreateOptions,
  type TranscribeOptions,
  TranscriptionFailedError,
  type WaitOptions,
} from './transcriptions.ts';
export type { LonghandOptions } from './transport.ts';
export type * from './type.ts';
export type { UploadOptions, UploadProgress, UploadSource, UploadState, UploadTask } from './uploads.ts';
export { type VerifyOptions, verifyWebhook } from './webhooks.ts';
