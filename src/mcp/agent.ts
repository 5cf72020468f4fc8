import type { Principal } from '../account/principal.ts';
import type { RateLimiter } from '../account/rate-limit.ts';
import type { ErasureDeps } from '../erasure/delete-transcription.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import type { CreateTranscriptionDeps } from '../transcription/admission/create-transcription.ts';
import type { CompleteUploadDeps } from '../upload/complete-upload.ts';
import type { PrepareUploadDeps } from '../upload/prepare-upload.ts';
import type { CreateSubscriptionDeps } from '../webhook/create-subscription.ts';
import type { DeleteSubscriptionDeps } from '../webhook/delete-subscription.ts';
import type { JobWaits } from './job-waits.ts';
import type { SubtitleUnits } from './subtitle-units.ts';

/** What the tools stand on: the same use cases as every other protocol. */
export interface AgentDeps {
  version: string;
  db: CreateTranscriptionDeps['db'];
  logger: Logger;
  limiter: Pick<RateLimiter, 'admit'>;
  waits: JobWaits;
  subtitles: SubtitleUnits;
  transcriptions: CreateTranscriptionDeps;
  uploads: PrepareUploadDeps & CompleteUploadDeps;
  erasure: ErasureDeps;
  webhooks: CreateSubscriptionDeps & DeleteSubscriptionDeps;
}

/** Who asks, and where links for them lead. */
export interface Agent {
  principal: Principal;
  serviceUrl: string;
  /** Of the web product; undefined where it is switched off. */
  webUrl: string | undefined;
}

/** Where people read and hear a transcript, at a moment of it. */
export function citationUrl({ webUrl }: Agent, id: string, seconds?: number): string | null {
  if (webUrl === undefined) return null;
  const moment = seconds === undefined ? '' : `?t=${Math.floor(seconds)}`;
  return `${webUrl}/transcripts/${id}${moment}`;
}

export function transcriptUri(id: string): string {
  return `longhand://transcripts/${id}`;
}
