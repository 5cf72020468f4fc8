/** `longhand jobs`: the operator's view of all jobs. */
import { jobLogStore, type LoggedJob } from '../transcription/library/job-log-store.ts';
import { onFoundation, print, table } from './command-context.ts';
import { optionalId, wholeNumber } from './option-value.ts';
import { UsageError } from './usage-error.ts';

interface JobsOptions {
  state?: string;
  account?: string;
  limit?: string;
  json?: boolean;
}

const states = ['processing', 'completed', 'failed'] as const;
const shownJobs = 20;
const filenameColumns = 32;

export async function listJobs(options: JobsOptions): Promise<void> {
  const filter = {
    status: stateOf(options.state),
    accountId: optionalId('--account', options.account),
    limit: wholeNumber('--limit', options.limit, { min: 1, max: 1_000, otherwise: shownJobs }),
  };
  await onFoundation(async ({ db, clock }) => {
    const jobs = await jobLogStore.list(db, filter);
    print({ jobs: jobs.map((job) => jobForPrograms(job, clock.now())) }, options, () => {
      if (jobs.length === 0) return ['There are no such jobs.'];
      return table([
        ['ID', 'STATE', 'STAGE', 'AGE', 'ACCOUNT', 'FILE', 'FAILURE'],
        ...jobs.map((job) => jobRow(job, clock.now())),
      ]);
    });
  });
}

function stateOf(text: string | undefined): (typeof states)[number] | undefined {
  if (text === undefined) return undefined;
  const state = states.find((one) => one === text);
  if (!state) throw new UsageError(`--state must be one of ${states.join(', ')}, not "${text}".`);
  return state;
}

function jobForPrograms(job: LoggedJob, nowMs: number) {
  const { status, stage, percent, secondsLeft } = job.progress;
  return {
    id: job.id,
    account_id: job.accountId,
    account_name: job.accountName,
    filename: job.filename,
    state: status,
    stage: status === 'processing' ? stage : null,
    percent,
    seconds_left: status === 'processing' ? secondsLeft : null,
    age_seconds: ageSeconds(job, nowMs),
    created_at: job.createdAt.toISOString(),
    finished_at: job.finishedAt?.toISOString() ?? null,
    error_code: job.errorCode,
    error: job.error,
  };
}

function jobRow(job: LoggedJob, nowMs: number): string[] {
  const { status, stage, percent } = job.progress;
  return [
    job.id,
    status,
    status === 'processing' ? `${stage} ${percent} %` : '',
    ageText(ageSeconds(job, nowMs)),
    job.accountName,
    shortened(job.filename),
    job.error === null ? '' : `${job.errorCode}: ${job.error}`,
  ];
}

function ageSeconds({ createdAt }: LoggedJob, nowMs: number): number {
  return Math.max(0, Math.round((nowMs - createdAt.getTime()) / 1000));
}

function ageText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

function shortened(name: string): string {
  const characters = [...name];
  return characters.length <= filenameColumns
    ? name
    : `${characters.slice(0, filenameColumns - 1).join('')}…`;
}
