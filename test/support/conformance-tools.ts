/** The tools that the conformance suite wants of a server, so that it can examine the plumbing below ours. */
import type { ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ApiError } from '../../src/contract/errors.ts';
import { type Tool, type ToolResult, tool } from '../../src/mcp/tool.ts';

export const redPixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

function fixture(name: string, run: (context: ServerContext) => ToolResult | Promise<ToolResult>): Tool {
  return tool({
    name,
    title: name,
    description: `Fixture ${name}`,
    annotations: {},
    input: z.looseObject({}),
    run: async ({ context }) => await run(context),
  });
}

const says = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });
const form = (message: string, properties: object) => ({
  method: 'elicitation/create' as const,
  params: {
    message,
    requestedSchema: { type: 'object' as const, properties, required: Object.keys(properties) },
  },
});
const sample = (text: string, maxTokens: number) => ({
  method: 'sampling/createMessage' as const,
  params: { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }], maxTokens },
});
const roots = { method: 'roots/list' as const, params: {} };
export const asks = (inputRequests: object, requestState?: string): ToolResult =>
  ({
    resultType: 'input_required',
    inputRequests,
    ...(requestState === undefined ? {} : { requestState }),
  }) as ToolResult;

/** What the client has answered under this name. */
// biome-ignore lint/suspicious/noExplicitAny: whatever JSON the suite sends.
export const answered = (context: ServerContext, name: string): any => context.mcpReq.inputResponses?.[name];

export const nameForm = form('What is your name?', { name: { type: 'string' } });

async function progressing(context: ServerContext): Promise<ToolResult> {
  const progressToken = context.mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
  }
  return says('done');
}

export interface StateCodec {
  mint(payload: string): Promise<string>;
}

export function conformanceTools(states: StateCodec): Tool[] {
  const image = { type: 'image' as const, data: redPixel, mimeType: 'image/png' };
  return [
    fixture('test_simple_text', () => says('This is a simple text response for testing.')),
    fixture('test_image_content', () => ({ content: [image] })),
    fixture('test_audio_content', () => ({
      content: [{ type: 'audio', data: silence, mimeType: 'audio/wav' }],
    })),
    fixture('test_embedded_resource', () => ({
      content: [
        {
          type: 'resource',
          resource: {
            uri: 'test://embedded-resource',
            mimeType: 'text/plain',
            text: 'This is an embedded resource content.',
          },
        },
      ],
    })),
    fixture('test_multiple_content_types', () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          },
        },
      ],
    })),
    fixture('test_error_handling', () => {
      throw new ApiError('internal_error', {
        message: 'This tool intentionally returns an error for testing',
      });
    }),
    fixture('test_tool_with_progress', progressing),
    fixture('test_missing_capability', () => asks({ question: sample('Anything?', 10) })),
    fixture('test_streaming_elicitation', (context) =>
      answered(context, 'user_name') ? says('done') : asks({ user_name: nameForm }),
    ),
    fixture('test_logging_tool', async (context) => {
      await context.mcpReq.log('info', 'a log line');
      return says('done');
    }),
    fixture('test_tool_with_logging', async (context) => {
      for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
        await context.mcpReq.log('info', line);
      return says('done');
    }),
    ...inputTools(states),
  ];
}

function inputTools(states: StateCodec): Tool[] {
  return [
    fixture('test_input_required_result_elicitation', (context) => {
      const name = answered(context, 'user_name')?.content?.name;
      return typeof name === 'string' ? says(`Hello, ${name}!`) : asks({ user_name: nameForm });
    }),
    fixture('test_input_required_result_sampling', (context) => {
      const answer = answered(context, 'capital_question');
      if (!answer) return asks({ capital_question: sample('What is the capital of France?', 100) });
      return says(JSON.stringify(answer.content));
    }),
    fixture('test_input_required_result_list_roots', (context) => {
      const answer = answered(context, 'client_roots');
      return answer ? says(JSON.stringify(answer.roots)) : asks({ client_roots: roots });
    }),
    fixture('test_input_required_result_request_state', async (context) => {
      const confirm = form('Please confirm', { ok: { type: 'boolean' } });
      if (!answered(context, 'confirm')) return asks({ confirm }, await states.mint('confirm'));
      return says(context.mcpReq.requestState() === 'confirm' ? 'state-ok' : 'state-lost');
    }),
    fixture('test_input_required_result_tampered_state', async (context) => {
      const confirm = form('Please confirm', { ok: { type: 'boolean' } });
      return answered(context, 'confirm') ? says('done') : asks({ confirm }, await states.mint('tampered'));
    }),
    fixture('test_input_required_result_multiple_inputs', async (context) => {
      const wanted = {
        user_name: nameForm,
        greeting: sample('Generate a greeting', 50),
        client_roots: roots,
      };
      const isComplete = Object.keys(wanted).every((key) => answered(context, key));
      return isComplete ? says('done') : asks(wanted, await states.mint('several'));
    }),
    fixture('test_input_required_result_multi_round', async (context) => {
      if (answered(context, 'step2')) return says('done');
      const step2 = form('Step 2: What is your favorite color?', { color: { type: 'string' } });
      if (answered(context, 'step1')) return asks({ step2 }, await states.mint('round 2'));
      const step1 = form('Step 1: What is your name?', { name: { type: 'string' } });
      return asks({ step1 }, await states.mint('round 1'));
    }),
    fixture('test_input_required_result_capabilities', (context) => {
      const envelope: Record<string, unknown> = context.mcpReq.envelope ?? {};
      const known = envelope['io.modelcontextprotocol/clientCapabilities'] as object;
      return asks({
        ...('sampling' in known ? { question: sample('Anything?', 10) } : {}),
        ...('elicitation' in known ? { user_name: nameForm } : {}),
      });
    }),
  ];
}
