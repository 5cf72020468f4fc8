import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Recording } from './recordings.ts';
import { expectedSeconds, remainingSeconds } from './remaining-time.ts';

function recording(path: string, sizeBytes: number): Recording {
  return { name: path, label: path, relativePath: path, media: { kind: 'file', path, sizeBytes } };
}

test('there is a guess before anything is known, larger for more bytes and smaller for more workers', () => {
  const hour = recording('/talk.mp3', 3600 * 16_000);
  const one = expectedSeconds([hour], 1);
  assert.ok(one > 60 && one < 3600, String(one));
  assert.ok(expectedSeconds([hour], 4) < one);
  assert.ok(expectedSeconds([hour, hour], 1) > one);
  assert.ok(expectedSeconds([recording('/talk.wav', 3600 * 16_000)], 1) < one);
  assert.equal(remainingSeconds(one, { elapsedSeconds: 1, fraction: 0 }), one);
});

test('the guess gives way to what was measured', () => {
  const at = (elapsedSeconds: number, fraction: number) =>
    remainingSeconds(100, { elapsedSeconds, fraction });
  assert.equal(at(10, 0.1), 90);
  assert.equal(at(600, 0.05), 200);
  assert.ok(at(40, 0.2) < 160 && at(40, 0.2) > 80);
  assert.equal(at(10, 0.5), 10);
  assert.equal(at(300, 0.75), 100);
  assert.equal(at(80, 1), 0);
});
