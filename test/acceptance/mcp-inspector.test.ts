/** The protocol's inspector at the command line, against the product. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { runService, temporaryDataDir } from '../support/service.ts';

const launcher = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'mcp-inspector');
const service = await runService({ after });
const owner = await newClient(service);

async function inspect(...args: string[]): Promise<string> {
  const child = spawn(
    launcher,
    [
      '--cli',
      `${service.url}/mcp`,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${owner.key}`,
      '--format',
      'json',
      ...args,
    ],
    {
      env: { PATH: process.env.PATH ?? '', HOME: await temporaryDataDir({ after }) },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
      killSignal: 'SIGKILL',
    },
  );
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  assert.equal(code, 0, out + err);
  return out;
}

test('the inspector lists the tools and calls one', async () => {
  const { result } = JSON.parse(await inspect('--method', 'tools/list'));
  assert.ok(result.tools.some(({ name }: { name: string }) => name === 'transcribe'));
  const answer = await inspect(
    '--method',
    'tools/call',
    '--tool-name',
    'list_transcripts',
    '--tool-arg',
    'limit=3',
  );
  assert.match(answer, /This account has no transcriptions yet/);
});
