import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quietGain } from './quiet-gain.ts';

const tone = (amplitude: number) =>
  Int16Array.from({ length: 16_000 }, (_, index) => Math.round(32_767 * amplitude * Math.sin(index / 7)));

test('a recording of ordinary level is left as it is', () => {
  assert.equal(quietGain(tone(0.3)), 1);
  assert.equal(quietGain(tone(0.03)), 1);
});

test('a quiet recording is raised, and a click in it changes nothing', () => {
  const quiet = tone(0.005);
  assert.ok(quietGain(quiet) > 8 && quietGain(quiet) < 12);
  quiet[500] = 32_767;
  assert.ok(quietGain(quiet) > 8);
});

test('the gain has a limit, and silence none', () => {
  assert.ok(quietGain(tone(0.00001)) <= 30);
  assert.ok(quietGain(new Int16Array(16_000)) <= 30);
  assert.equal(quietGain(new Int16Array(0)), 1);
});
