/** Agents as the world writes them: the protocol's official client libraries. */
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, type TaskEnabledSession } from '@modelcontextprotocol/ext-tasks/client';
import type { ApiClient } from './api-client.ts';
import { type Hooks, onCleanup } from './cleanup.ts';

export const revisions = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof revisions)[number];

const clientInfo = { name: 'longhand-test', version: '1.0.0' };
const tasksExtension = 'io.modelcontextprotocol/tasks';

export async function connectAgent(
  hooks: Hooks,
  { url, key }: Pick<ApiClient, 'url' | 'key'>,
  revision: Revision = '2026-07-28',
): Promise<Client> {
  const mode = revision === '2026-07-28' ? { pin: revision } : ('legacy' as const);
  const client = new Client(clientInfo, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  );
  onCleanup(hooks, () => client.close());
  return client;
}

/** One that knows tasks. */
export async function connectTaskAgent(hooks: Hooks, account: ApiClient): Promise<TaskEnabledSession> {
  const client = await connectAgent(hooks, account);
  const session = createTaskSessionFromClient(client, {
    endpointId: account.url,
    rawDispatch: async (request) => {
      const { body } = await sendToMcp(account, request as { method: string; params?: object });
      return 'error' in body ? { kind: 'error', error: body.error } : { kind: 'result', result: body.result };
    },
    v2RequestFraming: {
      protocolVersion: '2026-07-28',
      clientInfo,
      clientCapabilities: { extensions: { [tasksExtension]: {} } },
    },
  });
  onCleanup(hooks, () => session.close());
  return session;
}

export interface McpAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a client sees whatever JSON there is, and the tests assert its shape.
  body: any;
}

/** A request of 2026-07-28 as it stands on the wire. */
export async function sendToMcp(
  { url, key }: Pick<ApiClient, 'url' | 'key'>,
  { method, params = {} }: { method: string; params?: object },
  headers: Record<string, string> = {},
): Promise<McpAnswer> {
  const { name, uri, taskId, _meta } = params as Record<string, unknown>;
  const named = name ?? uri ?? taskId;
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
    ...(_meta as object | undefined),
  };
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof named === 'string' ? { 'mcp-name': named } : {}),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: envelope } }),
    signal: AbortSignal.timeout(120_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: messageIn(text) };
}

/** The last message of an answer, whether it came as JSON or as a stream. */
function messageIn(text: string): unknown {
  if (!text.startsWith('{')) {
    const frames = text.split('\n').filter((line) => line.startsWith('data: '));
    return JSON.parse(frames.at(-1)?.slice('data: '.length) ?? '{}');
  }
  return JSON.parse(text);
}

/** What a wait that was too short left open, fetched as its answer says: a machine may be slow. */
export async function finished(agent: Client, result: CallToolResult): Promise<CallToolResult> {
  let latest = result;
  for (let round = 0; round < 5 && dataOf(latest)?.status === 'processing'; round += 1) {
    const { id } = dataOf(latest);
    latest = await agent.callTool({ name: 'get_transcript', arguments: { id } });
  }
  return latest;
}

export function textOf({ content }: Pick<CallToolResult, 'content'>): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** What a tool answered for programs. */
// biome-ignore lint/suspicious/noExplicitAny: a client sees whatever JSON there is, and the tests assert its shape.
export function dataOf(result: Pick<CallToolResult, 'structuredContent'>): any {
  return result.structuredContent;
}
