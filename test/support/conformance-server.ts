/** A server of our own plumbing with the conformance suite's fixtures instead of our tools. For tests only. */
import {
  createRequestStateCodec,
  type GetPromptResult,
  type Server as McpServer,
} from '@modelcontextprotocol/server';
import { createServer } from '../../src/http/server.ts';
import { createAgentServer } from '../../src/mcp/agent-server.ts';
import { allowedSenders } from '../../src/mcp/foreign-senders.ts';
import { registerMcp } from '../../src/mcp/mcp-endpoint.ts';
import type { Resources } from '../../src/mcp/resource.ts';
import { type Hooks, onCleanup } from './cleanup.ts';
import { ConformanceTasks, taskTools } from './conformance-tasks.ts';
import { answered, asks, conformanceTools, nameForm, redPixel } from './conformance-tools.ts';
import { silentLogger } from './silent-logger.ts';

export async function startConformanceServer(hooks: Hooks): Promise<string> {
  const states = createRequestStateCodec<string>({ key: Buffer.alloc(32, 7) });
  const tasks = new ConformanceTasks();
  const tools = [...conformanceTools(states), ...taskTools(tasks)];
  const server = createServer({ logger: silentLogger });
  const senders = allowedSenders({ host: '127.0.0.1', publicUrl: undefined });
  registerMcp(server, {
    logger: silentLogger,
    senders,
    factory: () => {
      const one = createAgentServer({
        info: { name: 'conformance-fixtures', version: '1.0.0' },
        instructions: 'Fixtures of the conformance suite.',
        tools,
        resources: fixtureResources,
        tasks,
        requestState: { verify: states.verify },
        onFault: () => {},
      });
      addPrompts(one);
      return one;
    },
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  onCleanup(hooks, () => server.close());
  return `${url}/mcp`;
}

const templatePattern = /^test:\/\/template\/([^/]+)\/data$/;

const fixtureResources: Resources = {
  list: async () => [
    { uri: 'test://static-text', name: 'text', mimeType: 'text/plain' },
    { uri: 'test://static-binary', name: 'binary', mimeType: 'image/png' },
  ],
  templates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  async read(uri) {
    if (uri === 'test://static-text') {
      const text = 'This is the content of the static text resource.';
      return { contents: [{ uri, mimeType: 'text/plain', text }] };
    }
    if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: redPixel }] };
    const id = templatePattern.exec(uri)?.[1];
    if (id === undefined) return undefined;
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: 'application/json', text }] };
  },
};

const prompts = [
  { name: 'test_simple_prompt', description: 'Fixture' },
  {
    name: 'test_prompt_with_arguments',
    description: 'Fixture',
    arguments: [
      { name: 'arg1', required: true },
      { name: 'arg2', required: true },
    ],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'Fixture',
    arguments: [{ name: 'resourceUri', required: true }],
  },
  { name: 'test_prompt_with_image', description: 'Fixture' },
  { name: 'test_input_required_result_prompt', description: 'Fixture' },
];

/** Longhand has no prompts of its own; the suite's are served by the same server. */
function addPrompts(server: McpServer): void {
  server.registerCapabilities({ prompts: {}, completions: {}, logging: {} });
  server.setRequestHandler('prompts/list', () => ({ prompts }));
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: args = {} } }, context) => {
    if (name === 'test_input_required_result_prompt' && !answered(context, 'user_context'))
      return asks({ user_context: nameForm }) as never;
    return { messages: messagesOf(name, args) };
  });
}

function messagesOf(name: string, args: Record<string, string>): GetPromptResult['messages'] {
  const says = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } });
  switch (name) {
    case 'test_prompt_with_arguments':
      return [says(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)];
    case 'test_prompt_with_embedded_resource': {
      const text = 'Embedded resource content for testing.';
      const resource = { uri: args.resourceUri ?? '', mimeType: 'text/plain', text };
      return [
        { role: 'user', content: { type: 'resource', resource } },
        says('Please process the embedded resource above.'),
      ];
    }
    case 'test_prompt_with_image':
      return [
        { role: 'user', content: { type: 'image', data: redPixel, mimeType: 'image/png' } },
        says('Please analyze the image above.'),
      ];
    default:
      return [says('This is a simple prompt for testing.')];
  }
}
