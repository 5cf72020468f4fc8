import { randomUUID } from 'node:crypto';
import type { Account } from '../../account/account.ts';
import type { Principal } from '../../account/principal.ts';
import { ApiError } from '../../contract/errors.ts';
import { rerunLinesMax, rerunSecondsMax } from '../../contract/web/rerun.ts';
import { models } from '../../model/model-manifest.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import type { TaskQueue } from '../../platform/queue/queue.ts';
import { type ObjectStores, StorageUnavailable } from '../../storage/object-store.ts';
import { admissionStore } from '../../transcription/admission/admission-store.ts';
import { keptMedia } from '../../transcription/audio/kept-media.ts';
import { installedModels, isProcessingAvailable } from '../../transcription/fault/worker-presence.ts';
import { transcriptionStore } from '../../transcription/transcription-store.ts';
import { EditConflict } from '../change-segments.ts';
import type { EditionSegment } from '../edition.ts';
import { readEdition } from '../read-edition.ts';
import { type Rerun, type RerunLine, rerunQueue } from './rerun.ts';
import { rerunStore } from './rerun-store.ts';

export interface RerunDeps {
  db: Database;
  stores: ObjectStores;
  queue: TaskQueue;
  clock: Clock;
}

export interface RerunRequest {
  /** The id of the transcript. */
  id: string;
  /** Lines that follow each other. */
  lines: readonly RerunLine[];
  /** Null: to be found out. */
  language: string | null;
  /** The id of a model; null: what the worker uses for new jobs. */
  engine: string | null;
}

/** What somebody can choose from. */
export interface RerunChoices {
  /** The recording is there. */
  isKept: boolean;
  engines: { id: string; title: string; languages: readonly string[] }[];
}

const dayMs = 86_400_000;
/** Passages that an account may have recognised again in a day, for each job that its plan allows. */
const dailyForEachJob = 10;
/** Words heard in the wrong language may end long before the speech does: so far it is looked for in a pause. */
const aroundMs = 3_000;

export async function rerunChoices(
  deps: Pick<RerunDeps, 'db' | 'stores'>,
  principal: Principal,
  id: string,
): Promise<RerunChoices> {
  await expectOwned(deps.db, principal, id);
  const installed = await installedModels(deps.db);
  const engines = models
    .filter((model) => model.kind === 'recognizer' && installed.has(model.id))
    .map(({ id, title, languages }) => ({ id, title, languages }));
  return { isKept: (await mediaOf(deps, id)) !== undefined, engines };
}

export async function listReruns(
  { db }: Pick<RerunDeps, 'db'>,
  principal: Principal,
  id: string,
): Promise<Rerun[]> {
  await expectOwned(db, principal, id);
  return await rerunStore.list(db, id);
}

/** Takes back one that waits, or forgets one that failed. */
export async function removeRerun(
  { db }: Pick<RerunDeps, 'db'>,
  principal: Principal,
  { id, rerunId }: { id: string; rerunId: string },
): Promise<void> {
  await expectOwned(db, principal, id);
  if (!(await rerunStore.remove(db, id, rerunId))) throw new ApiError('not_found');
}

/** Has lines recognised again. What comes of it takes their place in the edition, unless somebody changes them before. */
export async function requestRerun(
  deps: RerunDeps,
  principal: Principal,
  request: RerunRequest,
): Promise<Rerun> {
  const { account } = principal;
  const { id, language, engine } = request;
  const { segments } = await readEdition(deps, principal, id);
  const passage = passageOf(segments, request.lines);
  await expectEngine(deps.db, { engine, language });
  if (!(await mediaOf(deps, id)))
    throw new ApiError('upload_not_found', {
      message: 'The recording of this transcript is not kept any more.',
    });
  if (!(await isProcessingAvailable(deps.db))) throw new ApiError('api_processing_unavailable');
  const rerun = await deps.db.transaction(async (tx) => {
    const known = await admissionStore.lockAccount(tx, account.id);
    if (!known) throw new ApiError('not_found');
    await expectAllowed(deps, tx, account);
    const rerunId = randomUUID();
    const wanted = { id: rerunId, transcriptionId: id, accountId: account.id, language, engine };
    const inserted = await rerunStore.insert(tx, { ...passage, ...wanted });
    if (!inserted)
      throw new ApiError('invalid_request', { message: 'This passage is being recognised again already.' });
    const data = { transcriptionId: id, rerunId };
    await deps.queue.send(tx, rerunQueue.name, [{ data, lane: known.lane }]);
    return inserted;
  });
  deps.queue.wake(rerunQueue.name);
  return rerun;
}

async function expectOwned(db: Queryable, { account }: Principal, id: string): Promise<void> {
  if (!(await transcriptionStore.isOwned(db, account.id, id))) throw new ApiError('not_found');
}

async function mediaOf(deps: Pick<RerunDeps, 'db' | 'stores'>, id: string) {
  try {
    return await keptMedia(deps, id);
  } catch (error) {
    if (error instanceof StorageUnavailable) throw new ApiError('service_unavailable', { cause: error });
    throw error;
  }
}

/** The lines and what is listened to for them. Throws an EditConflict when one is not as it was seen. */
function passageOf(
  segments: readonly EditionSegment[],
  lines: readonly RerunLine[],
): Pick<Rerun, 'lines' | 'startMs' | 'endMs'> {
  const from = segments.findIndex(({ id }) => id === lines[0]?.id);
  const own = from < 0 ? [] : segments.slice(from, from + lines.length);
  const stale = lines.filter(({ id, revision }, i) => own[i]?.id !== id || own[i]?.revision !== revision);
  if (stale.length > 0) {
    const standing = (id: string) => segments.find((one) => one.id === id);
    throw new EditConflict(
      stale.map(({ id }) => {
        const segment = standing(id);
        return { id, segment: segment ? { ...segment, isDeleted: false } : null };
      }),
    );
  }
  const startMs = Math.min(...own.map((line) => line.startMs));
  const endMs = Math.max(...own.map((line) => line.endMs));
  if (lines.length > rerunLinesMax || endMs - startMs > rerunSecondsMax * 1000)
    throw new ApiError('invalid_request', {
      message: `At most ${rerunLinesMax} lines and ${rerunSecondsMax / 60} minutes are recognised again at once.`,
    });
  const beforeMs = segments[from - 1]?.endMs ?? 0;
  const afterMs = segments[from + lines.length]?.startMs ?? Number.POSITIVE_INFINITY;
  return {
    lines: own.map(({ id, revision, startMs, endMs }) => ({ id, revision, startMs, endMs })),
    startMs: Math.min(startMs, Math.max(beforeMs, startMs - aroundMs)),
    endMs: Math.max(startMs + 1, endMs, Math.min(afterMs, endMs + aroundMs)),
  };
}

async function expectEngine(
  db: Queryable,
  { engine, language }: Pick<RerunRequest, 'engine' | 'language'>,
): Promise<void> {
  if (engine === null) return;
  const model = models.find(({ id, kind }) => id === engine && kind === 'recognizer');
  if (!model || !(await installedModels(db)).has(engine))
    throw new ApiError('invalid_request', {
      message: 'This model is not installed here. Choose another one.',
    });
  if (language !== null && !model.languages.includes('*') && !model.languages.includes(language))
    throw new ApiError('invalid_request', { message: 'This model does not know that language.' });
}

async function expectAllowed({ clock }: RerunDeps, tx: Queryable, { id, plan }: Account): Promise<void> {
  const midnightMs = clock.now() - (clock.now() % dayMs);
  const { waiting, asked } = await rerunStore.usage(tx, id, new Date(midnightMs));
  if (waiting >= plan.runningTranscriptionsMax)
    throw new ApiError('rate_limited', {
      message: 'As many passages as this plan allows are being recognised. Wait for one of them.',
      headers: { 'retry-after': '10' },
    });
  if (asked >= dailyForEachJob * plan.dailyTranscriptionsMax)
    throw new ApiError('daily_limit_reached', {
      headers: { 'retry-after': String(Math.ceil((midnightMs + dayMs - clock.now()) / 1000)) },
    });
}
