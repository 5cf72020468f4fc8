/** The pages load fast on a slow line: what the first visit fetches, as it is sent. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const dist = join(import.meta.dirname, '..', '..', 'web', 'dist');
const firstLoadBytesMax = 100_000;

test('the first load of the library is at most 100 kB, compressed', () => {
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  const names = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, name = '']) => name);
  assert.ok(names.length >= 2, 'a script and a style');
  const bytes = names.map((name) => statSync(join(dist, `${name}.br`)).size);
  const total = bytes.reduce((sum, one) => sum + one, Buffer.byteLength(page));
  assert.ok(total <= firstLoadBytesMax, `${total} bytes: ${names.join(', ')}`);
});

test('every script and style is there compressed as well', () => {
  const names = readdirSync(join(dist, 'assets'));
  for (const name of names.filter((one) => /\.(js|css)$/.test(one)))
    for (const form of ['br', 'gz']) assert.ok(names.includes(`${name}.${form}`), `${name}.${form}`);
});
