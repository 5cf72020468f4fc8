import { createHash, randomUUID } from 'node:crypto';
import type { Allowance } from '../../account/allowance.ts';
import type { Principal } from '../../account/principal.ts';
import { ApiError } from '../../contract/errors.ts';
import { labelOf } from '../../contract/label.ts';
import type { ChineseScript } from '../../contract/language.ts';
import type { CreateTranscriptionCommand, UploadReference } from '../../contract/transcription.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { type KeyedLimit, LimitReached } from '../../platform/keyed-limit.ts';
import type { Logger } from '../../platform/telemetry/telemetry.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import type { StorageId } from '../../storage/object-store.ts';
import { isProcessingAvailable } from '../fault/worker-presence.ts';
import { type KnownSpeaker, knownSpeakerStore } from '../known-speaker-store.ts';
import type { JobNotes } from '../trace/job-notes.ts';
import { optionsFor, type ProcessingTranscription, type Source, type Task } from '../transcription.ts';
import { type NewTranscription, transcriptionStore } from '../transcription-store.ts';
import { type AdmissionDeps, admitJobs, wakeSteps } from './admission.ts';
import {
  type CreatedTranscription,
  earlierJob,
  type RequestIdentity,
  requestFingerprint,
} from './earlier-request.ts';
import { idempotencyStore } from './idempotency-store.ts';

export interface CreateTranscriptionDeps extends AdmissionDeps {
  db: Database;
  allowance: Allowance;
  logger: Logger;
  /** Ownership, existence, size and type of a stored upload; throws an ApiError. */
  verifyUpload(
    principal: Principal,
    upload: UploadReference,
  ): Promise<{ id: string; storage: StorageId; key: string; sizeBytes: number; etag: string }>;
  /** Ties the job to its upload, so that the sweep leaves it alone; false when the upload is gone meanwhile. */
  useUpload(tx: Queryable, use: { uploadId: string; transcriptionId: string }): Promise<boolean>;
  /** True for a public http or https URL without credentials and without a literal private address. */
  isAcceptableSourceUrl(url: string): boolean;
  /** A name for the job until the link was opened. */
  labelOfUrl(url: string): string;
  /** Creates of one account wait for each other: here, without a connection. */
  createLimit?: Pick<KeyedLimit, 'run'> | undefined;
  notes?: JobNotes | undefined;
  traces?: Traces | undefined;
}

export interface CreateTranscriptionRequest extends CreateTranscriptionCommand {
  idempotencyKey?: string | undefined;
  /** A language that the caller is sure of, such as `en`; found out unless given. */
  language?: string | undefined;
  /** Of Chinese text; Simplified unless told. */
  chineseScript?: ChineseScript | undefined;
  task?: Task | undefined;
  /** Names and terms that may be spoken. */
  keywords?: readonly string[] | undefined;
  /** What the caller says about the recording; for engines elsewhere. */
  prompt?: string | undefined;
  /** People whose voices are compared with the speakers of the recording. */
  knownSpeakers?: readonly KnownSpeaker[] | undefined;
  /** SHA-256 of the media: the same media with the same options joins the job that runs or has just completed. */
  contentHash?: Buffer | undefined;
}

/** Checks in the written order, then queues the job: row, allowance and task in one transaction, or none of them. */
export async function createTranscription(
  deps: CreateTranscriptionDeps,
  principal: Principal,
  request: CreateTranscriptionRequest,
): Promise<CreatedTranscription> {
  const { db, allowance } = deps;
  const { account } = principal;
  const { source: wantedSource, speakerDiarization } = request;
  if (wantedSource.kind === 'url' && !deps.isAcceptableSourceUrl(wantedSource.url))
    throw new ApiError('invalid_source_url');
  const identity = identityOf(request);
  const earlier = await earlierJob(db, account, identity);
  if (earlier) return earlier;
  if (speakerDiarization && !account.plan.speakerDiarization) throw new ApiError('pro_required');
  await allowance.assertLeft(db, account);
  const { source, filename, uploadId } = await sourceOf(deps, principal, wantedSource);
  if (!(await isProcessingAvailable(db))) throw new ApiError('api_processing_unavailable');

  const { language = null, task = 'transcribe', keywords, prompt, chineseScript } = request;
  const options = optionsFor(account.plan, {
    ...{ speakerDiarization, language, task },
    ...{ keywords, prompt, chineseScript },
  });
  const id = randomUUID();
  const { credential, protocol, traceParent } = principal;
  const span = deps.traces?.begin('create', {
    traceParent,
    kind: 'PRODUCER',
    attributes: { 'longhand.job.id': id, 'longhand.protocol': protocol },
  });
  try {
    const limited = <Result>(work: () => Promise<Result>) =>
      deps.createLimit ? deps.createLimit.run(account.id, work) : work();
    const insert = async (tx: Queryable) => {
      const allowanceDay = allowance.today();
      const traced = { traceParent: span?.traceParent };
      const job = { id, accountId: account.id, filename, source, options, allowanceDay, ...traced };
      const inserted = await insertJob(deps, tx, { job, uploadId, identity });
      await knownSpeakerStore.insertAll(tx, id, request.knownSpeakers ?? []);
      // Last, because its row is locked from here to the end: other creates of the account wait.
      await allowance.take(tx, account, allowanceDay);
      return inserted;
    };
    const created = await limited(() => queueJob(deps, insert));
    deps.logger.info({ job: created.id, account: account.id, credential, protocol }, 'a job was accepted');
    deps.notes?.accepted(protocol);
    return { ...created, isEarlier: false };
  } catch (error) {
    const faster = error instanceof SameRequestWasFaster && (await earlierJob(db, account, identity));
    if (faster) return faster;
    // Deleted between the two looks; or too many creates of this account wait.
    throw error instanceof SameRequestWasFaster || error instanceof LimitReached
      ? new ApiError('queue_unavailable', { cause: error })
      : error;
  } finally {
    span?.end();
  }
}

/** `JSON.stringify` leaves out what was not given, so that a key from before an option was known still fits. */
function identityOf(request: CreateTranscriptionRequest): RequestIdentity {
  const { idempotencyKey, contentHash, knownSpeakers, ...rest } = request;
  const wanted = { ...rest, knownSpeakers: knownSpeakers?.map(hashed) };
  const { source, ...options } = wanted;
  return {
    idempotencyKey,
    requestHash: createHash('sha256').update(JSON.stringify(wanted)).digest(),
    fingerprint: contentHash === undefined ? null : requestFingerprint(contentHash, options),
  };
}

function hashed({ name, recording }: KnownSpeaker) {
  return { name, recording: createHash('sha256').update(recording).digest('hex') };
}

/** The row with what makes it known again, and the use of its upload. */
async function insertJob(
  deps: CreateTranscriptionDeps,
  tx: Queryable,
  {
    job,
    uploadId,
    identity,
  }: { job: NewTranscription; uploadId: string | undefined; identity: RequestIdentity },
): Promise<ProcessingTranscription> {
  const { idempotencyKey: key, requestHash, fingerprint } = identity;
  const inserted = await transcriptionStore.insertUnlessSame(tx, job, fingerprint);
  if (!inserted) throw new SameRequestWasFaster();
  const isUsed = uploadId === undefined || (await deps.useUpload(tx, { uploadId, transcriptionId: job.id }));
  if (!isUsed) throw new ApiError('upload_not_found');
  if (key !== undefined) {
    const remembered = { accountId: job.accountId, key, requestHash, transcriptionId: job.id };
    if (!(await idempotencyStore.remember(tx, remembered))) throw new SameRequestWasFaster();
  }
  return inserted;
}

/**
 * Inserts a job and, unless others of its account go before it, its first task in one transaction; whatever goes wrong,
 * no job is left behind.
 */
export async function queueJob(
  deps: AdmissionDeps & Pick<CreateTranscriptionDeps, 'db'>,
  insert: (tx: Queryable) => Promise<ProcessingTranscription>,
): Promise<ProcessingTranscription> {
  try {
    const { job, admitted } = await deps.db.transaction(async (tx) => {
      const inserted = await insert(tx);
      return { job: inserted, admitted: await admitJobs(deps, tx, inserted.accountId) };
    });
    wakeSteps(deps.queue, admitted);
    return job;
  } catch (error) {
    if (error instanceof ApiError || error instanceof SameRequestWasFaster) throw error;
    throw new ApiError('queue_unavailable', { cause: error });
  }
}

class SameRequestWasFaster extends Error {}

async function sourceOf(
  deps: CreateTranscriptionDeps,
  principal: Principal,
  source: CreateTranscriptionCommand['source'],
): Promise<{ source: Source; filename: string; uploadId?: string }> {
  if (source.kind === 'url') return { source, filename: labelOf(deps.labelOfUrl(source.url), 'link') };
  const { id, storage, key, sizeBytes, etag } = await deps.verifyUpload(principal, source);
  return {
    uploadId: id,
    source: { kind: 'upload', storage, key, sizeBytes, etag },
    filename: labelOf(source.filename, 'upload'),
  };
}
