/** An account is deleted in the middle of its work: what still names it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Hooks } from '../../test/support/cleanup.ts';
import { longhand, temporaryDataDir } from '../../test/support/service.ts';
import { filesNaming, tablesNaming } from '../../test/support/traces.ts';
import { wavBytes } from '../../test/support/wav-bytes.ts';
import { openReceiver } from '../../test/support/webhook-receiver.ts';
import type { BenchmarkRow } from '../run.ts';
import { slowSite } from './slow-site.ts';
import { type AttackStage, clip, createJob, type Owner, openStage, seconds, withCleanup } from './stage.ts';

const endsWithinMs = 180_000;
const goneWithinMs = 60_000;
const multipartBytes = 200 * 1024 * 1024;

export function erasureAttacks(): Promise<BenchmarkRow[]> {
  return withCleanup(async (hooks) => {
    const receiver = await openReceiver(hooks);
    const slow = await slowSite(hooks);
    const settings = { LONGHAND_EGRESS_ALLOW: `${receiver.target},${slow}` };
    const stage = await openStage(hooks, { settings });
    const owner = await stage.owner('pro');
    const jobs = await busyAccount(hooks, stage, owner, { receiver: receiver.url, slow });
    const ids = [owner.id, ...jobs];
    const before = await traces(stage, ids);
    const startedAt = performance.now();
    const { code, stderr } = await longhand(
      stage.service.environment,
      ...['account', 'delete', owner.id, '--yes', '--json'],
    );
    if (code !== 0) throw new Error(stderr);
    const left = await gone(stage, ids);
    return [
      {
        figure: `deleted account (${jobs.length} jobs, ${jobs.length - 1} of them running, uploads, a subscription, deliveries; before: ${before.tables.length} tables, ${before.files.length} files): tables and files that name it`,
        value: `${[...left.tables, ...left.files].join(', ') || '0, 0'} after ${seconds(performance.now() - startedAt)}`,
        bar: '0, 0',
        passed: left.tables.length === 0 && left.files.length === 0 && before.tables.length > 0,
      },
    ];
  });
}

/** One job that is done, one that is recognised, one whose link is slow, and uploads that nobody used. */
async function busyAccount(
  hooks: Hooks,
  stage: AttackStage,
  owner: Owner,
  { receiver, slow }: { receiver: string; slow: string },
): Promise<string[]> {
  const { api } = owner;
  const events = ['transcription.completed', 'transcription.failed'];
  const subscribed = await api.post('/api/v1/webhook-subscriptions', { url: receiver, events });
  if (subscribed.status !== 201) throw new Error(`subscribe answered ${JSON.stringify(subscribed.body)}`);
  const create = (body: object) => createJob(owner, body, { 'idempotency-key': crypto.randomUUID() });
  const done = await create({ upload: await api.uploadFile(clip('austen-870')), speaker_diarization: true });
  await api.ended(done, endsWithinMs);
  const long = join(await temporaryDataDir(hooks), 'long.flac');
  const loop = ['-stream_loop', '99', '-i', clip('austen-870'), '-t', '600', '-y', long];
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-nostdin', ...loop]);
  const running = await create({ upload: await api.uploadFile(long) });
  const link = await create({ source_url: `http://${slow}/slow.wav` });
  await api.upload('unused.wav', wavBytes(1));
  await api.post('/api/v1/uploads', { filename: 'open.wav', size: multipartBytes });
  await recognises(stage, running);
  return [done, running, link];
}

async function recognises({ rows }: AttackStage, id: string): Promise<void> {
  const deadline = Date.now() + endsWithinMs;
  while (
    (await rows(`select from transcription where id = $1 and stage = 'recognising'`, [id])).length === 0
  ) {
    if (Date.now() > deadline) throw new Error('the long job is not recognised');
    await delay(100);
  }
}

interface Traces {
  tables: string[];
  files: string[];
}

async function traces({ rows, service }: AttackStage, ids: readonly string[]): Promise<Traces> {
  return {
    tables: await tablesNaming({ query: (text, values = []) => rows(text, [...values]) }, ids),
    files: await filesNaming(service.environment.LONGHAND_DATA_DIR ?? '', ids),
  };
}

/** A worker that is in the middle of a step learns of the deletion at its next sign of life. */
async function gone(stage: AttackStage, ids: readonly string[]): Promise<Traces> {
  const deadline = Date.now() + goneWithinMs;
  for (;;) {
    const left = await traces(stage, ids);
    if (left.tables.length + left.files.length === 0 || Date.now() > deadline) return left;
    await delay(500);
  }
}
