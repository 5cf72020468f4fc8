/** The snippets of docs/agents.md connect. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { newClient } from '../support/api-client.ts';
import { onCleanup } from '../support/cleanup.ts';
import { runService } from '../support/service.ts';

const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'agents.md'), 'utf8');
const service = await runService({ after });
const owner = await newClient(service);

/** A snippet with the address and the key of this service. */
function snippet(name: string): string {
  const found = new RegExp(`\`\`\`\\w+ ${name}\n([\\s\\S]*?)\n\`\`\``).exec(text)?.[1];
  assert.ok(found, `docs/agents.md has no snippet ${name}`);
  assert.ok(found.includes('http://127.0.0.1:8080') && found.includes('YOUR_API_KEY'));
  return found.replaceAll('http://127.0.0.1:8080', service.url).replaceAll('YOUR_API_KEY', owner.key ?? '');
}

interface HttpServer {
  type: string;
  url: string;
  headers: Record<string, string>;
}

async function toolsOf(
  hooks: Parameters<typeof onCleanup>[0],
  { url, headers }: HttpServer,
): Promise<string[]> {
  const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onCleanup(hooks, () => client.close());
  return (await client.listTools()).tools.map(({ name }) => name);
}

test('a host that takes servers by URL connects with the snippet', async (t) => {
  const { mcpServers } = JSON.parse(snippet('mcp-http'));
  assert.ok((await toolsOf(t, mcpServers.longhand)).includes('transcribe'));
  const { servers } = JSON.parse(snippet('mcp-vscode'));
  assert.deepEqual(servers, mcpServers);
});

test('the command for Claude Code names the same server', async (t) => {
  const command = /^claude mcp add --transport http longhand (\S+) --header "Authorization: ([^"]+)"$/.exec(
    snippet('mcp-claude'),
  );
  const [, url = '', authorization = ''] = command ?? [];
  assert.ok((await toolsOf(t, { type: 'http', url, headers: { authorization } })).includes('transcribe'));
});
