/** A machine that refuses namespaces: what the service says, what it still does and what it no longer does. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { newClient } from '../support/api-client.ts';
import { onCleanup } from '../support/cleanup.ts';
import { startService, testEnvironment } from '../support/service.ts';

/** Inside a user namespace in which no further one can be made. */
const refusing = [
  ...['unshare', '--user', '--map-root-user', 'sh', '-c'],
  ...['echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', 'sh'],
];
const [command = '', ...rest] = refusing;
const call = promisify(execFile);
const skip = await call(command, [...rest, 'true']).then(
  () => false,
  (error: Error) => `this machine cannot be made to refuse namespaces: ${error.message}`,
);

const root = join(import.meta.dirname, '..', '..');
const flac = await readFile(join(root, 'test', 'fixtures', 'austen-880.flac'));
const html = '<!doctype html><title>A talk</title><video src="/a.flac"></video>';
const site = createServer((request, response) => {
  if (request.url === '/a.flac') response.writeHead(200, { 'content-type': 'audio/flac' }).end(flac);
  else response.writeHead(200, { 'content-type': 'text/html' }).end(html);
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
after(() => {
  site.closeAllConnections();
  site.close();
});
const { port } = site.address() as AddressInfo;

test('without namespaces the service warns, refuses pages to an old yt-dlp, and still opens direct links', {
  skip,
}, async (t) => {
  const settings = { LONGHAND_EGRESS_ALLOW: `127.0.0.1:${port}` };
  const environment = await testEnvironment(t, settings);
  const ytdlp = join(environment.LONGHAND_DATA_DIR ?? '', 'yt-dlp');
  await writeFile(ytdlp, '#!/bin/sh\necho 2023.03.04\n', { mode: 0o755 });
  const service = await startService({ ...environment, LONGHAND_YTDLP: ytdlp }, [], refusing);
  onCleanup(t, () => service.stop()); // Before the database goes.
  const warnings = service.log().match(/There is no sandbox on this machine/g) ?? [];
  assert.equal(warnings.length, 1);

  const client = await newClient(service);
  const ended = async (path: string) => {
    const source_url = `http://127.0.0.1:${port}${path}`;
    const created = await client.post('/api/v1/transcriptions', { source_url });
    return (await client.ended(created.body.data.id)).body.data;
  };
  const refused = await ended('/talk');
  assert.equal(refused.status, 'failed');
  assert.match(refused.error, /no sandbox to do so safely.*longhand doctor/);
  const direct = await ended('/a.flac');
  assert.equal(direct.error, null);
  assert.match(direct.text, /young man/i);

  const doctor = [...rest, process.execPath, join(root, 'src', 'main.ts'), 'doctor', '--json'];
  const { stdout } = await call(command, doctor, { env: service.environment });
  const lines = JSON.parse(stdout).checks as { name: string; verdict: string; text: string }[];
  const line = (name: string) => lines.find((one) => one.name === name);
  assert.equal(line('sandbox')?.verdict, 'warning');
  assert.match(line('sandbox')?.text ?? '', /bwrap: .*docs\/operating\.md.*yt-dlp is 2026\.06\.09 or newer/s);
  assert.match(
    line('yt-dlp')?.text ?? '',
    /2023\.03\.04 is older than 2026\.06\.09.*longhand tools install yt-dlp/,
  );
});
