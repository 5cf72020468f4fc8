/** One MCP server for one request (HTTP) or one connection (stdio): the plumbing that knows nothing of transcripts. */
import {
  type CallToolResult,
  type Implementation,
  ProtocolError,
  ResourceNotFoundError,
  Server,
  type ServerCapabilities,
  type ServerOptions,
} from '@modelcontextprotocol/server';
import type { Resources } from './resource.ts';
import { serveTasks, type Tasks, tasksExtension } from './task.ts';
import type { Tool } from './tool.ts';
import { errorResult } from './tool-error.ts';

export interface AgentSurface {
  info: Implementation;
  /** For the agent: how the tools belong together. */
  instructions: string;
  tools: readonly Tool[];
  resources: Resources;
  tasks: Tasks;
  extensions?: NonNullable<ServerCapabilities['extensions']>;
  /** Checks what a client sends back of a question; needed only where tools ask. */
  requestState?: NonNullable<ServerOptions['requestState']>;
  /** For what no tool has chosen an answer for. */
  onFault(error: unknown): void;
}

const invalidParams = -32602;
/** Lists are the same for everybody of one version; what is in a transcript never leaves its account's cache. */
const listed = { ttlMs: 300_000, cacheScope: 'private' } as const;
const neverKept = { ttlMs: 0, cacheScope: 'private' } as const;

export function createAgentServer(surface: AgentSurface): Server {
  const { info, instructions, tools, resources, tasks } = surface;
  const server = new Server(info, {
    instructions,
    ...(surface.requestState ? { requestState: surface.requestState } : {}),
    capabilities: {
      tools: {},
      resources: {},
      extensions: { [tasksExtension]: {}, ...surface.extensions },
    },
    cacheHints: {
      'tools/list': listed,
      'resources/templates/list': listed,
      'server/discover': listed,
      'resources/list': neverKept,
      'resources/read': neverKept,
    },
  });
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ listed: one }) => one) }));
  const byName = new Map(tools.map((tool) => [tool.listed.name, tool]));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = byName.get(params.name);
    if (!tool) throw new ProtocolError(invalidParams, 'There is no tool of this name.');
    try {
      // A task passes as it is: the SDK's types know only results that are complete.
      return (await tool.call(params.arguments ?? {}, context)) as CallToolResult;
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      return errorResult(error, surface.onFault);
    }
  });
  server.setRequestHandler('resources/list', async (_request, context) => ({
    resources: await resources.list(context),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [...resources.templates],
  }));
  server.setRequestHandler('resources/read', async ({ params }, context) => {
    const found = await resources.read(params.uri, context);
    if (!found) throw new ResourceNotFoundError(params.uri);
    return found;
  });
  serveTasks(server, tasks);
  return server;
}
