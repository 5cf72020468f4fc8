/** `longhand mcp`: agents over standard input and output, on a server and on this machine. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { dataOf, finished, type Revision, revisions, textOf } from '../support/agent-client.ts';
import { newClient } from '../support/api-client.ts';
import { type Hooks, onCleanup } from '../support/cleanup.ts';
import { runService, temporaryDataDir } from '../support/service.ts';

const root = join(import.meta.dirname, '..', '..');
const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const spoken = /not an ill[- ]disposed young man/i;
const service = await runService({ after });
const owner = await newClient(service);
const onServer = { LONGHAND_SERVER: service.url, LONGHAND_KEY: owner.key ?? '' };

interface Program {
  command: string;
  args: string[];
  env: Record<string, string>;
}

async function connect(hooks: Hooks, program: Program, revision: Revision): Promise<Client> {
  const mode = revision === '2026-07-28' ? { pin: revision } : ('legacy' as const);
  const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode } });
  const home = await temporaryDataDir(hooks);
  const env = { PATH: process.env.PATH ?? '', HOME: home, ...program.env };
  await client.connect(new StdioClientTransport({ ...program, env, stderr: 'inherit' }), {
    timeout: 120_000,
  });
  onCleanup(hooks, () => client.close());
  return client;
}

const longhandMcp = (env: Record<string, string>): Program => ({
  command: process.execPath,
  args: [join(root, 'src', 'main.ts'), 'mcp'],
  env,
});

for (const revision of revisions) {
  test(`${revision}: an agent sends a file of this machine to a server and reads it`, async (t) => {
    const agent = await connect(t, longhandMcp(onServer), revision);
    const { tools } = await agent.listTools();
    const names = tools.map(({ name }) => name);
    assert.ok(names.includes('transcribe_file') && names.includes('search_transcripts'));
    const made = await finished(
      agent,
      await agent.callTool({ name: 'transcribe_file', arguments: { path: austen } }, { timeout: 120_000 }),
    );
    assert.match(textOf(made), spoken);
    const { id } = dataOf(made);
    const { body } = await owner.get(`/api/v1/transcriptions/${id}`);
    assert.equal(body.data.filename, 'austen-880.flac');
    const again = await agent.callTool({ name: 'get_transcript', arguments: { id, format: 'text' } });
    assert.match(dataOf(again).text, spoken);
    const missing = await agent.callTool({ name: 'transcribe_file', arguments: { path: '/nowhere.mp3' } });
    assert.equal(missing.isError, true);
    assert.match(textOf(missing), /no such file on this machine/);
    const text = await agent.callTool({
      name: 'transcribe_file',
      arguments: { path: join(root, 'README.md') },
    });
    assert.equal(dataOf(text).error.code, 'unsupported_type');
  });
}

test('the snippet of docs/agents.md for hosts that start programs connects', async (t) => {
  const docs = await readFile(join(root, 'docs', 'agents.md'), 'utf8');
  const snippet = /```json mcp-stdio\n([\s\S]*?)\n```/.exec(docs)?.[1] ?? '';
  const { longhand } = JSON.parse(
    snippet
      .replace('/path/to/longhand', root)
      .replace('http://127.0.0.1:8080', service.url)
      .replace('YOUR_API_KEY', owner.key ?? ''),
  ).mcpServers;
  const agent = await connect(t, longhand, '2025-11-25');
  assert.ok((await agent.listTools()).tools.some(({ name }) => name === 'transcribe_file'));
});

test('a server that is not there is told to the agent', async (t) => {
  const nowhere = { LONGHAND_SERVER: 'http://127.0.0.1:9', LONGHAND_KEY: owner.key ?? '' };
  await assert.rejects(connect(t, longhandMcp(nowhere), '2025-11-25'), /did not answer/);
});

test('without a server it works on this machine, with nothing running, and keeps what it made', async (t) => {
  const dataDir = await temporaryDataDir(t);
  const program = longhandMcp({ LONGHAND_DATA_DIR: dataDir, LONGHAND_LOG_LEVEL: 'fatal' });
  const first = await connect(t, program, '2026-07-28');
  const made = await finished(
    first,
    await first.callTool({ name: 'transcribe_file', arguments: { path: austen } }, { timeout: 120_000 }),
  );
  assert.match(textOf(made), spoken);
  await first.close();
  const second = await connect(t, program, '2025-11-25');
  const found = dataOf(
    await second.callTool({ name: 'search_transcripts', arguments: { query: 'young man' } }),
  );
  assert.equal(found.hits[0].id, dataOf(made).id);
});
