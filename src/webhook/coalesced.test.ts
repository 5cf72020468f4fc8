import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coalesced } from './coalesced.ts';

test('calls that come while it runs share one run after it', async () => {
  const gates: (() => void)[] = [];
  const run = coalesced(() => new Promise<void>((resolve) => gates.push(resolve)));
  const first = run();
  const later = [run(), run(), run()];
  assert.equal(gates.length, 1);
  gates[0]?.();
  await first;
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(gates.length, 2);
  gates[1]?.();
  await Promise.all(later);
  assert.equal(gates.length, 2);
});

test('a run that fails is told to its own callers, and the next one takes place', async () => {
  let runs = 0;
  const run = coalesced(async () => {
    runs += 1;
    if (runs === 1) throw new Error('no');
  });
  const [first, second] = [run(), run()];
  await assert.rejects(first, /no/);
  await second;
  assert.equal(runs, 2);
});
