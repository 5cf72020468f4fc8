/** Everything of one account for its owner, as lines of JSON. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../platform/database/database.ts';
import { accountExportStore } from './account-export-store.ts';

/** As of one moment, while the service runs. The file appears under its name when it is whole; gives how many of each kind. */
export async function exportAccount(
  db: Pick<Database, 'dedicatedConnection'>,
  accountId: string,
  file: string,
): Promise<Record<string, number>> {
  const target = resolve(file);
  const draft = join(dirname(target), `.${basename(target)}.${randomUUID()}`);
  const connection = await db.dedicatedConnection('longhand account export');
  const counts: Record<string, number> = {};
  const lines = async function* () {
    for await (const { kind, line } of accountExportStore.rows(connection, accountId)) {
      counts[kind] = (counts[kind] ?? 0) + 1;
      yield line;
    }
  };
  try {
    await connection.query('set statement_timeout = 0');
    await connection.query('begin isolation level repeatable read read only');
    // What somebody said is nobody else's.
    await pipeline(lines(), createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }));
    await rename(draft, target);
    return counts;
  } finally {
    await connection.close();
    await rm(draft, { force: true });
  }
}
