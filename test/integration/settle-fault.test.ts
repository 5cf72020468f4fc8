/** What becomes of a step that failed: put off, tried again so often, or the end of its job. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MediaFailure } from '../../src/media/media-failure.ts';
import { DatabaseUnavailable } from '../../src/platform/database/database-fault.ts';
import { DiskBudget, NoDiskSpace } from '../../src/platform/disk/disk-budget.ts';
import { ScratchDirectory } from '../../src/platform/disk/scratch-directory.ts';
import { Postponed } from '../../src/platform/queue/queue.ts';
import { EngineUnavailable, ModelMissing, SpeechError, SpeechProcessDied } from '../../src/speech/speech.ts';
import { StorageUnavailable } from '../../src/storage/object-store.ts';
import { Outages } from '../../src/transcription/fault/outages.ts';
import { type SettleFaultDeps, settleFault } from '../../src/transcription/fault/settle-fault.ts';
import type { Dependency } from '../../src/transcription/fault/step-fault.ts';
import { WorkerPresence } from '../../src/transcription/fault/worker-presence.ts';
import type { Step } from '../../src/transcription/step/steps.ts';
import { type JobWorld, openJobWorld } from '../support/job-world.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { temporaryDataDir } from '../support/service.ts';
import { silentLogger } from '../support/silent-logger.ts';

async function open(t: TestContext) {
  const world = await openJobWorld(t);
  const outages = new Outages({
    clock: new ManualClock(),
    logger: world.deps.logger,
    probes: {},
    onEnd: () => {},
  });
  const space = { freeBytes: 1_000, totalBytes: 1_000 };
  const disk = new DiskBudget({ space: async () => space, reserveBytes: 100 });
  const scratch = new ScratchDirectory(await temporaryDataDir(t), disk);
  const deps: SettleFaultDeps = { ...world.deps, outages, scratch };
  const account = await world.account();
  const id = await world.job(account);
  return { world, deps, outages, account, id, space };
}

/** Waits between the tries, in seconds and without their chance, until the job has ended. */
async function waits(deps: SettleFaultDeps, at: { id: string; step: Step; index?: number }, error: unknown) {
  const seconds: number[] = [];
  for (let tries = 0; tries < 20; tries += 1) {
    try {
      await settleFault(deps, { transcriptionId: at.id, step: at.step, index: at.index }, error);
      return seconds;
    } catch (put) {
      assert.ok(put instanceof Postponed, String(put));
      seconds.push(put.delayMs / 1000);
    }
  }
  return seconds;
}

function assertAbout(actual: readonly number[], expected: readonly number[]): void {
  assert.equal(actual.length, expected.length, String(actual));
  for (const [i, seconds] of expected.entries()) {
    const got = actual[i] ?? 0;
    assert.ok(got >= 0.79 * seconds && got <= 1.21 * seconds, `${actual} instead of ${expected}`);
  }
}

async function ended(world: JobWorld, id: string) {
  const [row] = await world.db.query<{ status: string; error_code: string | null }>(
    'select status, error_code from transcription where id = $1',
    [id],
  );
  return [row?.status, row?.error_code];
}

test('media that cannot be used ends the job at once and counts against the allowance', async (t) => {
  const { world, deps, account, id } = await open(t);
  assert.deepEqual(await waits(deps, { id, step: 'decode' }, new MediaFailure('media_no_audio')), []);
  assert.deepEqual(await ended(world, id), ['failed', 'media_no_audio']);
  assert.equal(await world.used(account), 1);
  assert.deepEqual(
    world.lines.map(({ msg }) => msg),
    ['a job failed'],
  );
});

test('a link that may come back is tried four times, with the wait that its site asks for', async (t) => {
  const { world, deps, id } = await open(t);
  const busy = new MediaFailure('source_rate_limited', { retryAfterMs: 9_000 });
  assertAbout(await waits(deps, { id, step: 'fetch' }, busy), [9, 9, 15]);
  assert.deepEqual(await ended(world, id), ['failed', 'source_rate_limited']);
  const other = await world.job(await world.account());
  assertAbout(
    await waits(deps, { id: other, step: 'fetch' }, new MediaFailure('source_unreachable')),
    [1, 4, 15],
  );
});

test('a fault of our own is tried six times over minutes, then the job is given up and given back', async (t) => {
  const { world, deps, account, id } = await open(t);
  assertAbout(await waits(deps, { id, step: 'finish' }, new Error('a mistake')), [1, 5, 25, 60, 120]);
  assert.deepEqual(await ended(world, id), ['failed', 'internal']);
  assert.deepEqual(await world.events(id), ['transcription.failed']);
  assert.equal(await world.used(account), 0);
  const last = world.lines.filter(({ msg }) => msg === 'a job was given up');
  assert.deepEqual(
    last.map(({ job, step, code }) => [job, step, code]),
    [[id, 'finish', 'internal']],
  );
});

test('a chunk that kills its process is given up soon, and what the media caused is not given back', async (t) => {
  const { world, deps, account, id } = await open(t);
  const crash = new SpeechProcessDied('the speech process was ended by SIGSEGV');
  assertAbout(await waits(deps, { id, step: 'recognise', index: 7 }, crash), [1, 5, 20]);
  assert.deepEqual(await ended(world, id), ['failed', 'recognizer_failed']);
  assert.equal(await world.used(account), 1);
});

test('faults are counted for each chunk: thirty crashes over thirty chunks cost no job', async (t) => {
  const { world, deps, id } = await open(t);
  const crash = new SpeechProcessDied('the speech process was ended by SIGKILL');
  for (let index = 0; index < 30; index += 1) {
    await assert.rejects(
      settleFault(deps, { transcriptionId: id, step: 'recognise', index }, crash),
      Postponed,
    );
  }
  assert.deepEqual(await ended(world, id), ['processing', null]);
});

const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
const outagesOf: [Dependency, unknown][] = [
  ['storage', new StorageUnavailable('away')],
  ['database', new DatabaseUnavailable('away')],
  ['engine', new EngineUnavailable('away')],
  ['disk', full],
  ['disk', new MediaFailure('media_unreadable', { cause: full })],
  ['storage', new Error('the plan could not be stored', { cause: new StorageUnavailable('away') })],
];
for (const [of, error] of outagesOf) {
  test(`${of} that is away is waited out without counting (${(error as Error).name})`, async (t) => {
    const { world, deps, outages, id } = await open(t);
    const seconds = await waits(deps, { id, step: 'recognise', index: 0 }, error);
    assert.equal(seconds.length, 20, 'it never ends the job');
    assertAbout(seconds.slice(0, 7), [1, 2, 4, 8, 15, 15, 15]);
    assert.deepEqual(await ended(world, id), ['processing', null]);
    assert.equal(outages.mayTake(of), false, 'this worker takes nothing that needs it');
    const warnings = world.lines.filter(({ level }) => level === 40);
    assert.equal(warnings.length, 1, 'the log says it once');
  });
}

for (const error of [
  new NoDiskSpace('too large'),
  new StorageUnavailable('the disk is full', { cause: new NoDiskSpace('too large') }),
]) {
  test(`a task that is too large for the room on the disk waits and does not hold up others (${error.name})`, async (t) => {
    const { world, deps, outages, id, space } = await open(t);
    const at = { transcriptionId: id, step: 'decode' } as const;
    await assert.rejects(settleFault(deps, at, error), Postponed);
    assert.equal(outages.mayTake('disk', 'storage'), true);
    space.freeBytes = 99;
    await assert.rejects(settleFault(deps, at, error), Postponed);
    assert.equal(outages.mayTake('disk'), false, 'below the reserve nobody has room');
    assert.deepEqual(await ended(world, id), ['processing', null]);
  });
}

test('a worker without the model leaves the task to others, and gives the job up when there are none', async (t) => {
  const { world, deps, id } = await open(t);
  const missing = new ModelMissing('whisper-base');
  const about = { version: '1.2.3', host: 'here', engine: 'auto', models: [], capacity: 1 };
  const presence = { db: world.db, logger: silentLogger, about, expectFit: async () => {} };
  const workers = [new WorkerPresence(presence), new WorkerPresence(presence)];
  for (const worker of workers) await worker.start(new ManualClock());
  const at = { transcriptionId: id, step: 'recognise', index: 0 } as const;
  await assert.rejects(settleFault(deps, at, missing), (put) => {
    assert.ok(put instanceof Postponed && put.avoidMs >= 10_000);
    return true;
  });
  assert.match(String(world.lines.at(-1)?.reason), /whisper-base is not installed/);
  await workers[0]?.stop();
  assertAbout(await waits(deps, { id, step: 'recognise', index: 0 }, missing), [1, 5, 25, 60, 120]);
  assert.deepEqual(await ended(world, id), ['failed', 'model_missing']);
});

test('what the recognizer refuses is a fault, not a crash', async (t) => {
  const { deps, id, world } = await open(t);
  const refused = new SpeechError('no tokens.txt', { transient: false });
  assert.equal((await waits(deps, { id, step: 'recognise', index: 0 }, refused)).length, 5);
  assert.deepEqual(await ended(world, id), ['failed', 'internal']);
});
