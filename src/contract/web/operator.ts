/** The operator's page: work, workers, disk, failures, accounts. */
import { z } from 'zod';
import { webRequest } from './web-request.ts';

export const accountBody = webRequest(
  z.object({ name: z.string().trim().min(1).max(200), plan: z.string().max(32) }),
);

export const planBody = webRequest(z.object({ plan: z.string().max(32) }));

interface AccountFields {
  id: string;
  name: string;
  plan: { name: string };
  isOperator: boolean;
  createdAt: Date;
}

interface FailureFields {
  id: string;
  accountName: string;
  filename: string;
  finishedAt: Date | null;
  errorCode: string | null;
  error: string | null;
}

interface WorkerFields {
  id: string;
  host: string | null;
  version: string | null;
  engine: string | null;
  models: readonly string[] | null;
  capacity: number | null;
  silentSeconds: number;
}

interface OverviewFields {
  workload: {
    stages: Readonly<Record<string, number>>;
    ended: Readonly<Record<string, number>>;
    oldestQueuedSeconds: number | null;
    pendingAudioSeconds: number;
  };
  workers: readonly WorkerFields[];
  disk: { freeBytes: number; totalBytes: number; reserveBytes: number };
  failures: readonly FailureFields[];
  plans: readonly string[];
  accounts: readonly AccountFields[];
  /** How many each account has, by its id. */
  jobCounts: ReadonlyMap<string, number>;
}

export function overviewOnWire({ workload, disk, jobCounts, ...all }: OverviewFields) {
  return {
    jobs: { stages: workload.stages, ended: workload.ended },
    oldest_queued_seconds: workload.oldestQueuedSeconds,
    pending_audio_seconds: workload.pendingAudioSeconds,
    workers: all.workers.map(({ silentSeconds, ...about }) => ({ ...about, silent_seconds: silentSeconds })),
    disk: { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes, reserve_bytes: disk.reserveBytes },
    failures: all.failures.map(failureOnWire),
    plans: all.plans,
    accounts: all.accounts.map((account) => ({
      ...accountOnWire(account),
      jobs: jobCounts.get(account.id) ?? 0,
    })),
  };
}

export function accountOnWire({ id, name, plan, isOperator, createdAt }: AccountFields) {
  return {
    id,
    name,
    plan: plan.name,
    is_operator: isOperator,
    created_at: createdAt.toISOString(),
  };
}

/** `url`: where the link leads, for whoever is to open it. */
export function signInLinkOnWire({ url, expiresAt }: { url: string; expiresAt: Date }) {
  return { url, expires_at: expiresAt.toISOString() };
}

function failureOnWire(job: FailureFields) {
  return {
    id: job.id,
    account_name: job.accountName,
    filename: job.filename,
    finished_at: job.finishedAt?.toISOString() ?? null,
    error_code: job.errorCode,
    error: job.error,
  };
}
