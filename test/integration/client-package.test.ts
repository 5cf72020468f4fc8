/** The client as npm would give it: packed, unpacked elsewhere, used there. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { clientPackageDir, packedClient } from '../support/packed-client.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
/** 10 kB, and what zlib differs by from one kind of processor to another. */
const bytesMax = 10_000 + 100;

const { directory, installed, tarball } = await packedClient({ after });

test('the package has no dependencies, at most 10 kB as npm gives it, and nothing but what it needs', async () => {
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  assert.equal(manifest.dependencies, undefined);
  const { size } = await stat(tarball);
  assert.ok(size <= bytesMax, `${size} bytes`);
  assert.deepEqual((await readdir(installed)).toSorted(), ['README.md', 'dist', 'package.json']);
});

test('publint and attw find nothing', async () => {
  await run(join(root, 'node_modules', '.bin', 'publint'), ['--strict', clientPackageDir]);
  await run(join(root, 'node_modules', '.bin', 'attw'), [tarball, '--profile', 'esm-only']);
});

const program = `
import { Longhand, LonghandError, verifyWebhook } from 'longhand-client';
import { srt } from 'longhand-client/subtitles';
import { fileFrom } from 'longhand-client/node';
const { body, headers, secret } = JSON.parse(process.argv[2]);
const event = await verifyWebhook(body, headers, { secret });
const forged = await verifyWebhook(body + ' ', headers, { secret }).catch((error) => error.code);
const client = new Longhand({ apiKey: 'k', baseUrl: 'http://127.0.0.1:9', maxRetries: 0 });
const refused = await client.transcriptions.get('x').catch((error) => error instanceof LonghandError && error.code);
const file = await fileFrom(process.argv[1]);
console.log(JSON.stringify({ event: event.id, forged, refused, name: file.name, srt: srt([{ start: 0, end: 1, text: 'Hi.' }]) }));
`;

/** The Node that runs the tests, and the machine's own, which may be older. */
const nodes = new Set([process.execPath, ...['/usr/local/bin/node', '/usr/bin/node'].filter(existsSync)]);
for (const node of nodes) {
  test(`it runs as an ES module in ${node === process.execPath ? 'this Node' : node}`, async () => {
    await writeFile(join(directory, 'use.mjs'), program);
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const id = crypto.randomUUID();
    const body = JSON.stringify({ id, type: 'transcription.completed', data: { status: 'completed' } });
    const now = new Date();
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    };
    const { stdout } = await run(node, ['use.mjs', JSON.stringify({ body, headers, secret })], {
      cwd: directory,
    });
    const result = JSON.parse(stdout);
    assert.deepEqual(
      { ...result, srt: result.srt.includes('00:00:00,000 --> ') },
      { event: id, forged: 'invalid_signature', refused: 'connection_failed', name: 'use.mjs', srt: true },
    );
  });
}
