import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock as clock } from '../src/platform/clock.ts';
import { Database } from '../src/platform/database/database.ts';
import { createLogger } from '../src/platform/telemetry/telemetry.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';
import type { Benchmark } from './run.ts';

const rounds = 9;
const commits = 2_000;
const connections = 4;
const logger = createLogger({ level: 'error', pretty: false });

/** How long the embedded database takes to start, to be joined and to stop, and how many durable commits it makes. */
export async function run(): Promise<Benchmark> {
  const root = await mkdtemp(join(tmpdir(), 'longhand-bench-'));
  try {
    const first: number[] = [];
    const second: number[] = [];
    const joined: number[] = [];
    const stopped: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const dataDir = join(root, String(round));
      const maker = await timed(first, () => open(dataDir));
      await maker.close();
      const starter = await timed(second, () => open(dataDir));
      const guest = await timed(joined, () => open(dataDir));
      await guest.close();
      await timed(stopped, () => starter.close());
    }
    return {
      title: `Embedded PostgreSQL, median of ${rounds}`,
      rows: [
        { figure: 'first start, with the making of the files', value: `${median(first)} ms` },
        { figure: 'second start', value: `${median(second)} ms` },
        { figure: 'joining a running server', value: `${median(joined)} ms` },
        { figure: 'stop', value: `${median(stopped)} ms` },
        {
          figure: `durable commits, ${connections} connections`,
          value: `${await commitsPerSecond(root)}/s`,
        },
      ],
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function open(dataDir: string): Promise<EmbeddedPostgres> {
  return openEmbeddedPostgres({ dataDir, logger, clock });
}

async function commitsPerSecond(root: string): Promise<number> {
  const postgres = await open(join(root, '0'));
  const { connectionString } = postgres;
  const applicationName = 'longhand bench';
  const database = new Database({ connectionString, connectionsMax: connections, applicationName, logger });
  try {
    await database.query('create table line (id bigint generated always as identity, text text)');
    const times: number[] = [];
    await timed(times, () =>
      Promise.all(
        Array.from({ length: connections }, async () => {
          for (let i = 0; i < commits / connections; i += 1)
            await database.query("insert into line (text) values ('x')");
        }),
      ),
    );
    return Math.round(commits / (median(times) / 1_000));
  } finally {
    await database.close();
    await postgres.close();
  }
}

async function timed<Result>(times: number[], work: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  const result = await work();
  times.push(performance.now() - start);
  return result;
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN);
}
