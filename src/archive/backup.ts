/** One file with everything of an embedded set-up that cannot be fetched again: tables, uploads, secrets. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { create, replace } from 'tar';
import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { DedicatedConnection } from '../platform/database/dedicated-connection.ts';
import { appliedNames } from '../platform/database/migrations.ts';
import { packageVersion } from '../platform/package-version.ts';
import { copiedTables, tableOut } from './table-copy.ts';

export const manifestSchema = z.object({
  format: z.literal(1),
  version: z.string(),
  createdAt: z.string(),
  migrations: z.array(z.string()),
  tables: z.array(z.object({ name: z.string().regex(/^[a-z_]+$/), columns: z.array(z.string()) })),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const manifestFile = 'manifest.json';
export function tableFile(name: string): string {
  return `tables/${name}.jsonl`;
}

/** Below the data directory. */
const keptFolders = ['objects', 'secrets'];
/** What jobs make for themselves, and what is just arriving. */
const leftOutObjects = /^objects\/(work|incoming)(\/|$)/;

export interface BackupDeps {
  db: Pick<Database, 'dedicatedConnection'>;
  clock: Clock;
  dataDir: string;
}

/**
 * While the service runs: the tables as of one moment, and then the uploads, which stay for the days of their retention
 * when a job ends meanwhile. The file appears under its name when it is whole.
 */
export async function backup({ db, clock, dataDir }: BackupDeps, file: string): Promise<Manifest> {
  const target = resolve(file);
  const draft = join(dirname(target), `.${basename(target)}.${randomUUID()}`);
  const staging = `${draft}.tables`;
  try {
    await mkdir(join(staging, 'tables'), { recursive: true, mode: 0o700 });
    await (await open(draft, 'wx', 0o600)).close(); // It holds secrets.
    const connection = await db.dedicatedConnection('longhand backup');
    const manifest = await writeTables(connection, staging, clock).finally(() => connection.close());
    await writeFile(join(staging, manifestFile), JSON.stringify(manifest));
    await create({ file: draft, cwd: staging, portable: true }, [manifestFile, 'tables']);
    const folders = await presentOf(dataDir, keptFolders);
    const filter = (path: string) => !leftOutObjects.test(path.replace(/^\.\//, ''));
    if (folders.length > 0) await replace({ file: draft, cwd: dataDir, portable: true, filter }, folders);
    await flushed(draft);
    await rename(draft, target);
    return manifest;
  } finally {
    await rm(staging, { recursive: true, force: true });
    await rm(draft, { force: true });
  }
}

async function writeTables(
  connection: DedicatedConnection,
  staging: string,
  clock: Clock,
): Promise<Manifest> {
  await connection.query('set statement_timeout = 0');
  await connection.query('begin isolation level repeatable read read only');
  const tables = await copiedTables(connection);
  for (const table of tables) {
    const out = createWriteStream(join(staging, tableFile(table.name)), { mode: 0o600 });
    await pipeline(tableOut(connection, table), out);
  }
  const migrations = await appliedNames(connection);
  await connection.query('commit');
  return { format: 1, version: packageVersion(), createdAt: clock.date().toISOString(), migrations, tables };
}

async function presentOf(directory: string, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    names.map((name) =>
      access(join(directory, name)).then(
        () => [name],
        () => [],
      ),
    ),
  );
  return found.flat();
}

async function flushed(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
