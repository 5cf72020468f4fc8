/** A real service on a database and a data directory of its own, for one attack; nothing of it is left afterwards. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient } from '../../test/support/api-client.ts';
import type { Hooks } from '../../test/support/cleanup.ts';
import { onCleanup } from '../../test/support/cleanup.ts';
import { withConnection } from '../../test/support/empty-database.ts';
import {
  type Environment,
  longhand,
  startService,
  type TestService,
  temporaryDataDir,
  testEnvironment,
} from '../../test/support/service.ts';
import { type StoppableDatabase, stoppableDatabase } from '../../test/support/stoppable-database.ts';

export const transcriptionsPath = '/api/v1/transcriptions';

export interface Owner {
  id: string;
  api: ApiClient;
}

export interface AttackStage {
  service: TestService;
  database: StoppableDatabase;
  rows<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  /** A new account on that plan. */
  owner(plan: string): Promise<Owner>;
}

export interface StageOptions {
  settings?: Environment;
  /** Given the data directory: a command that runs the service. */
  wrapper?: (dataDir: string) => string[];
}

/** What `work` makes with the hooks is undone when it ends, the last first. */
export async function withCleanup<Result>(work: (hooks: Hooks) => Promise<Result>): Promise<Result> {
  const undo: (() => Promise<void>)[] = [];
  try {
    return await work({ after: (one) => undo.push(one) });
  } finally {
    for (const one of undo) await one();
  }
}

export async function openStage(hooks: Hooks, options: StageOptions = {}): Promise<AttackStage> {
  const database = await stoppableDatabase(hooks);
  const environment = await testEnvironment(hooks, {
    LONGHAND_DATABASE_URL: database.connectionString,
    LONGHAND_LOG_LEVEL: 'fatal',
    ...options.settings,
  });
  const wrapper = options.wrapper?.(environment.LONGHAND_DATA_DIR ?? '') ?? [];
  const service = await startService(environment, [], wrapper);
  onCleanup(hooks, () => service.stop());
  return {
    service,
    database,
    rows: (text, values = []) =>
      withConnection(database.connectionString, async (db) => (await db.query(text, values)).rows),
    async owner(plan) {
      const { id } = await command(environment, 'account', 'create', 'attacks', '--plan', plan);
      const { key } = await command(environment, 'key', 'create', '--account', id);
      return { id, api: new ApiClient(service.url, key) };
    },
  };
}

async function command(environment: Environment, ...args: string[]) {
  const { code, stdout, stderr } = await longhand(environment, ...args, '--json');
  if (code !== 0) throw new Error(`longhand ${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The running jobs of the built-in plans, and as many jobs a day as an attack needs. */
export async function attackPlans(hooks: Hooks): Promise<Environment> {
  const limits = { file_bytes_max: 1e9, media_seconds_max: 36_000, daily_transcriptions_max: 100_000 };
  const plans = {
    free: { ...limits, running_transcriptions_max: 2, speaker_diarization: false },
    pro: { ...limits, running_transcriptions_max: 20, speaker_diarization: true },
  };
  const file = join(await temporaryDataDir(hooks), 'plans.json');
  await writeFile(file, JSON.stringify(plans));
  return { LONGHAND_PLANS: file };
}

export async function createJob(
  { api }: Pick<Owner, 'api'>,
  body: object,
  headers?: Record<string, string>,
): Promise<string> {
  const { status, body: answer } = await api.post(transcriptionsPath, body, headers);
  if (status !== 202) throw new Error(`create answered ${status} ${JSON.stringify(answer)}`);
  return answer.data.id;
}

export function clip(name: string): string {
  return join(import.meta.dirname, '..', '..', 'test', 'fixtures', `${name}.flac`);
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
