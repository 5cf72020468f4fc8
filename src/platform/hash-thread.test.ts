import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HashThread } from './hash-thread.ts';

test('files of all sizes, many at once, have the digests of node:crypto', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'longhand-hash-'));
  const hashThread = new HashThread();
  t.after(async () => {
    await hashThread.close();
    await rm(dir, { recursive: true });
  });
  const sizes = [0, 1, 63, 64, 65, 1000, 262_143, 262_144, 262_145, 262_208, 1_000_000, 3_333_333];
  const files = await Promise.all(
    [...sizes, ...sizes.toReversed()].map(async (size, index) => {
      const bytes = randomBytes(size);
      const path = join(dir, String(index));
      await writeFile(path, bytes);
      return { path, md5: createHash('md5').update(bytes).digest('hex') };
    }),
  );
  const digests = await Promise.all(files.map(({ path }) => hashThread.md5(path)));
  assert.deepEqual(
    digests.map((digest) => digest.toString('hex')),
    files.map(({ md5 }) => md5),
  );
});

test('a file that cannot be read fails alone', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'longhand-hash-'));
  const hashThread = new HashThread();
  t.after(async () => {
    await hashThread.close();
    await rm(dir, { recursive: true });
  });
  await writeFile(join(dir, 'a'), 'abc');
  const [missing, found, folder] = await Promise.allSettled([
    hashThread.md5(join(dir, 'missing')),
    hashThread.md5(join(dir, 'a')),
    hashThread.md5(dir),
  ]);
  assert.equal(missing.status, 'rejected');
  assert.equal(folder.status, 'rejected');
  assert.ok(found.status === 'fulfilled');
  assert.equal(found.value.toString('hex'), '900150983cd24fb0d6963f7d28e17f72');
});

test('after the thread was closed a new one takes over', async () => {
  const hashThread = new HashThread();
  const path = import.meta.filename;
  const first = await hashThread.md5(path);
  await hashThread.close();
  assert.deepEqual(await hashThread.md5(path), first);
  await hashThread.close();
});
