import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openConnection } from '../../src/platform/database/dedicated-connection.ts';
import { dataDirectoryWithDatabase, startMember } from '../support/data-directory.ts';

test('three processes that migrate at once run every migration once', async (t) => {
  const dataDir = await dataDirectoryWithDatabase(t);
  const directory = join(dataDir, 'migrations');
  await mkdir(directory);
  // "create table" fails when it is run twice, and the pause makes the processes meet.
  for (let number = 1; number <= 5; number += 1) {
    const sql = `create table step_${number} (id int); select pg_sleep(0.05);`;
    await writeFile(join(directory, `000${number}-step.sql`), sql);
  }
  const members = await Promise.all(
    Array.from({ length: 3 }, () => startMember(t, [dataDir, 'migrate', directory])),
  );
  for (const { answer } of members) assert.equal(answer.refused, undefined);
  const connection = await openConnection({
    connectionString: members[0]?.answer.ready ?? '',
    applicationName: 'longhand test',
  });
  const rows = await connection.query<{ name: string }>(
    'select name from schema_migration order by applied_at',
  );
  await connection.close();
  assert.deepEqual(
    rows.map(({ name }) => name),
    [1, 2, 3, 4, 5].map((number) => `000${number}-step.sql`),
  );
  await Promise.all(members.map((member) => member.leave()));
});
