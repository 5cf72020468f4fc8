import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { DiskBudget, spaceOf } from './disk-budget.ts';
import { ScratchDirectory } from './scratch-directory.ts';

test('a directory lives as long as its work, and what a dead process left is removed at the next start', async (t) => {
  const path = await mkdtemp(join(tmpdir(), 'longhand-scratch-'));
  t.after(() => rm(path, { recursive: true }));
  const scratch = new ScratchDirectory(path, new DiskBudget({ space: () => spaceOf([path]) }));
  await mkdir(join(path, '999999999-dead'));
  await writeFile(join(path, '999999999-dead', 'media'), 'left behind');
  await mkdir(join(path, `${process.ppid}-alive`));
  await scratch.prepare();
  assert.deepEqual(await readdir(path), [`${process.ppid}-alive`]);
  const used = await scratch.use(async (directory) => {
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
    return directory;
  });
  await assert.rejects(stat(used), { code: 'ENOENT' });
  await assert.rejects(
    scratch.use(() => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.deepEqual(await readdir(path), [`${process.ppid}-alive`]);
});
