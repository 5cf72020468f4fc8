import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hooks, onCleanup } from './cleanup.ts';

test('what was made last is undone first, and a failure stops nothing', async () => {
  const afters: (() => Promise<void>)[] = [];
  const hooks: Hooks = { after: (work) => afters.push(work) };
  const undone: string[] = [];
  onCleanup(hooks, async () => undone.push('database'));
  onCleanup(hooks, async () => {
    throw new Error('stuck');
  });
  onCleanup(hooks, async () => undone.push('service'));
  assert.equal(afters.length, 1);
  await assert.rejects(async () => afters[0]?.(), /stuck/);
  assert.deepEqual(undone, ['service', 'database']);
});
