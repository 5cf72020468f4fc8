/** One account's flood beside another's single job, with the real recognizer. */
import { freePort } from '../../test/support/free-port.ts';
import type { BenchmarkRow } from '../run.ts';
import { slowSite } from './slow-site.ts';
import {
  type AttackStage,
  attackPlans,
  clip,
  createJob,
  type Owner,
  openStage,
  seconds,
  withCleanup,
} from './stage.ts';

const endsWithinMs = 180_000;
const createsAtOnce = 8;
/** What a person waits for a few seconds of speech, however busy others keep the service. */
const linkBarMs = 30_000;

export function fairnessAttacks(): Promise<BenchmarkRow[]> {
  return withCleanup(async (hooks) => {
    const slow = await slowSite(hooks);
    const dead = `127.0.0.1:${await freePort()}`;
    const settings = {
      ...(await attackPlans(hooks)),
      LONGHAND_WORKERS: '2',
      LONGHAND_EGRESS_ALLOW: `${slow},${dead}`,
    };
    const stage = await openStage(hooks, { settings });
    return [
      await linksRow(stage, { slow, dead }),
      await queueRow(stage, { plan: 'free', jobs: 40 }),
      await queueRow(stage, { plan: 'pro', jobs: 40 }),
      await queueRow(stage, { plan: 'pro', jobs: 5_000 }),
    ];
  });
}

async function linksRow(
  stage: AttackStage,
  { slow, dead }: { slow: string; dead: string },
): Promise<BenchmarkRow> {
  const [one, other] = [await stage.owner('pro'), await stage.owner('pro')];
  await jobMs(other); // The models are loaded by the first job.
  const idleMs = await jobMs(other);
  for (const path of ['one', 'two']) await createJob(one, { source_url: `http://${slow}/${path}.wav` });
  for (let i = 0; i < 9; i += 1) await createJob(one, { source_url: `http://${dead}/${i}.mp3` });
  const busyMs = await jobMs(other);
  await forget(stage, one);
  const barMs = Math.min(linkBarMs, 3 * idleMs);
  return {
    figure: 'two slow and nine dead links of one account, then an upload of 7 s of another: time of its job',
    value: `${seconds(busyMs)} (idle ${seconds(idleMs)})`,
    bar: `3 × idle, at most ${seconds(linkBarMs)}: ${seconds(barMs)}`,
    passed: busyMs <= barMs,
  };
}

/** From the creation to the end as its owner sees it. */
async function jobMs(owner: Owner): Promise<number> {
  const upload = await owner.api.uploadFile(clip('austen-870'));
  const startedAt = performance.now();
  const { body } = await owner.api.ended(await createJob(owner, { upload }), endsWithinMs);
  if (body.data.status !== 'completed') throw new Error(`the job ended with ${body.data.error}`);
  return performance.now() - startedAt;
}

async function queueRow(
  stage: AttackStage,
  { plan, jobs }: { plan: string; jobs: number },
): Promise<BenchmarkRow> {
  const [one, other] = [await stage.owner(plan), await stage.owner('pro')];
  const otherUpload = await other.api.uploadFile(clip('austen-870'));
  const upload = await one.api.uploadFile(clip('austen-870'));
  let left = jobs;
  const creating = async () => {
    while (left-- > 0) await createJob(one, { upload });
  };
  await Promise.all(Array.from({ length: createsAtOnce }, creating));
  const job = await createJob(other, { upload: otherUpload });
  const { body } = await other.api.ended(job, endsWithinMs);
  const ended = await endedMeanwhile(stage, one, job);
  await forget(stage, one);
  return {
    figure: `${jobs.toLocaleString('en')} jobs of one account on ${plan}, then one of another: jobs of the first that ended between its creation and its end`,
    value: body.data.status === 'completed' ? String(ended) : `its job ${body.data.status}`,
    bar: 'at most 4',
    passed: body.data.status === 'completed' && ended <= 4,
  };
}

async function endedMeanwhile(stage: AttackStage, { id }: Owner, job: string): Promise<number> {
  const [row] = await stage.rows<{ count: number }>(
    `select count(*)::int as count from transcription as theirs, transcription as own
     where own.id = $2 and theirs.account_id = $1
       and theirs.finished_at between own.created_at and own.finished_at`,
    [id, job],
  );
  return row?.count ?? Number.NaN;
}

/** Gone, with what waits for them: the next row begins on an idle service. */
async function forget(stage: AttackStage, { id }: Owner): Promise<void> {
  await stage.rows('delete from transcription where account_id = $1', [id]);
}
