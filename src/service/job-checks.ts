/** Everything a job needs, as the start, `/readyz` and `longhand doctor` look at it. */
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Config } from '../config.ts';
import type { MediaPrograms } from '../media/probe.ts';
import { tryDecode, tryProbe } from '../media/trial.ts';
import { defaultModelIds, type ModelStore } from '../model/model-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import { serverVersion } from '../platform/database/server-version.ts';
import type { DiskBudget } from '../platform/disk/disk-budget.ts';
import { ScratchDirectory } from '../platform/disk/scratch-directory.ts';
import { findProgram } from '../platform/process/program.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { modelsNeededBy } from '../speech/engine.ts';
import { workKey } from '../storage/object-key.ts';
import type { ObjectStores } from '../storage/object-store.ts';
import { isProcessingAvailable } from '../transcription/fault/worker-presence.ts';
import { secretKeyFault } from '../webhook/secret-keys.ts';
import { Check, type Finding } from './check.ts';
import { diskBudget, scratchPath } from './disk.ts';

type Outcome = Omit<Finding, 'name'>;

const ok = (text: string): Outcome => ({ verdict: 'ok', text });
const warning = (text: string): Outcome => ({ verdict: 'warning', text });
const problem = (text: string): Outcome => ({ verdict: 'problem', text });

/** Programs and models change by hand only; a bucket or a key may be taken away; the rest is asked each time. */
const installedKeptMs = 60_000;
const storedKeptMs = 15_000;
const diskBytesWanted = 2_000_000_000;

/** What a process with a worker needs on its own machine. */
export function workerChecks(parts: {
  config: Config;
  clock: Clock;
  programs: MediaPrograms;
  models: ModelStore;
}): Check[] {
  const { config, clock, programs, models } = parts;
  const scratch = new ScratchDirectory(scratchPath(config), diskBudget({ config, clock, db: undefined }));
  const program = (name: 'ffmpeg' | 'ffprobe', attempt: typeof tryProbe) =>
    new Check({
      name,
      keepMs: installedKeptMs,
      clock,
      look: async () => {
        await scratch.prepare();
        return programOutcome(name, programs, (chosen) => attempt(chosen, scratch));
      },
    });
  return [
    program('ffmpeg', tryDecode),
    program('ffprobe', tryProbe),
    new Check({
      name: 'models',
      keepMs: installedKeptMs,
      clock,
      look: () => modelsOutcome(models, config.engine.name),
    }),
  ];
}

async function programOutcome(
  name: 'ffmpeg' | 'ffprobe',
  programs: MediaPrograms,
  attempt: (programs: MediaPrograms) => Promise<void>,
): Promise<Outcome> {
  const command = programs[name];
  const advice = `run ./setup, or set LONGHAND_${name.toUpperCase()} to its path`;
  const program = await findProgram([command]);
  if (!program) return problem(`"${command}" was not found: ${advice}.`);
  try {
    await attempt(programs);
    return ok(program.path);
  } catch (error) {
    const worksOutside = programs.sandbox && (await succeeds(attempt({ ...programs, sandbox: undefined })));
    if (worksOutside)
      return problem(
        `${program.path} does not run inside the sandbox: its libraries must be below /usr, or built into it.`,
      );
    const { message, cause } = error as Error;
    const said = lastLine(typeof cause === 'string' ? cause : message);
    return problem(`${program.path} does not work: ${advice} (${said}).`);
  }
}

async function succeeds(attempt: Promise<void>): Promise<boolean> {
  return attempt.then(
    () => true,
    () => false,
  );
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(-200) ?? '';
}

async function modelsOutcome(models: ModelStore, engine: string): Promise<Outcome> {
  const missingOf = async (ids: readonly string[]) => {
    const usable = await Promise.all(ids.map((id) => models.usable(id)));
    return ids.filter((_id, index) => !usable[index]);
  };
  const needed = modelsNeededBy(engine);
  const missing = await missingOf(needed);
  if (missing.length > 0)
    return problem(`${missing.join(', ')} missing: run "npx longhand models install ${missing.join(' ')}".`);
  const wanted = await missingOf(defaultModelIds());
  if (wanted.length > 0)
    return warning(`${wanted.join(', ')} missing: run "npx longhand models install --default".`);
  return ok([...new Set([...needed, ...defaultModelIds()])].join(', '));
}

/** What every process needs of the places where bytes are kept. */
export function storageChecks(parts: {
  config: Config;
  clock: Clock;
  stores: ObjectStores;
  disk: DiskBudget;
}): Check[] {
  const { config, clock, stores, disk } = parts;
  const key = workKey(randomUUID(), 'readiness');
  return [
    new Check({ name: 'storage', keepMs: storedKeptMs, clock, look: () => storageOutcome(stores, key) }),
    new Check({ name: 'disk', keepMs: 0, clock, look: () => diskOutcome(config, disk) }),
  ];
}

/** A small object there and back. */
async function storageOutcome({ current: store }: ObjectStores, key: string): Promise<Outcome> {
  const sent = randomUUID();
  try {
    await store.check();
    await store.write(key, Buffer.from(sent));
    const back = await buffer(await store.read(key));
    await store.delete(key);
    return back.toString() === sent
      ? ok(`${store.id}: an object went there and back`)
      : problem(`${store.id} gave back other bytes than were stored.`);
  } catch (error) {
    return problem(`${store.id}: ${(error as Error).message}.`);
  }
}

async function diskOutcome({ dataDir }: Config, disk: DiskBudget): Promise<Outcome> {
  const { freeBytes, reserveBytes } = await disk.space();
  const text = `${gigabytes(freeBytes)} free at ${dataDir}`;
  const advice = 'free some space, or move LONGHAND_DATA_DIR';
  if (freeBytes < reserveBytes) {
    const reserve = `less than the ${gigabytes(reserveBytes)} of LONGHAND_DISK_RESERVE`;
    return problem(`${text}, ${reserve}, so no new files are taken: ${advice}.`);
  }
  return freeBytes < diskBytesWanted ? warning(`${text}: ${advice} soon.`) : ok(text);
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(bytes < 1e9 ? 3 : 1)} GB`;
}

export function databaseCheck(parts: { clock: Clock; db: Queryable; isEmbedded: boolean }): Check {
  const { clock, db, isEmbedded } = parts;
  return new Check({ name: 'database', keepMs: 0, clock, look: () => databaseOutcome(db, isEmbedded) });
}

/** What a process with the API needs of the secrets in the database, and of others on it. */
export function apiChecks(parts: {
  clock: Clock;
  db: Queryable;
  secretBox: SecretBox | undefined;
  /** One of this very process, which starts when nothing else is missing. */
  hasWorker: boolean;
}): Check[] {
  const { clock, db, secretBox, hasWorker } = parts;
  return [
    new Check({
      name: 'secret key',
      keepMs: storedKeptMs,
      clock,
      look: () => secretKeyOutcome(db, secretBox),
    }),
    new Check({ name: 'worker', keepMs: 0, clock, look: () => workerOutcome(db, hasWorker) }),
  ];
}

async function databaseOutcome(db: Queryable, isEmbedded: boolean): Promise<Outcome> {
  const { text } = await serverVersion(db);
  return ok(`PostgreSQL ${text}${isEmbedded ? ', embedded' : ''}`);
}

async function secretKeyOutcome(db: Queryable, secretBox: SecretBox | undefined): Promise<Outcome> {
  const fault = await secretKeyFault(db, secretBox);
  if (fault) return secretBox ? problem(fault) : warning(fault);
  if (secretBox) return ok('webhook secrets can be sealed and opened');
  return warning(
    'none: webhooks cannot be subscribed to. Set LONGHAND_SECRET_KEY to 32 random bytes in base64 ("openssl rand -base64 32").',
  );
}

async function workerOutcome(db: Queryable, hasWorker: boolean): Promise<Outcome> {
  if (await isProcessingAvailable(db)) return ok('one that can recognise speech was heard from lately');
  return problem(
    hasWorker
      ? 'none can take jobs: the one of this process does as soon as nothing else is missing.'
      : 'none was heard from lately: start one with "npx longhand worker".',
  );
}
