import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
  ToolAnnotations,
  Tool as WireTool,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { documentedForm } from '../contract/documented-form.ts';
import { ApiError } from '../contract/errors.ts';
import { checkRequest, requestFaults } from '../contract/request-faults.ts';
import type { TaskResult } from './task.ts';

export type ToolResult = CallToolResult | InputRequiredResult | TaskResult;

export interface ToolCall<Args> {
  args: Args;
  context: ServerContext;
}

interface ToolDefinition<Input extends z.ZodType> {
  name: string;
  title: string;
  /** For the agent: what it does, when to use it, an example. Never anything that came from outside. */
  description: string;
  annotations: ToolAnnotations;
  input: Input;
  output?: z.ZodType;
  /** The page that shows its results, in hosts that can. */
  uiUri?: string;
  run(call: ToolCall<z.output<Input>>): Promise<ToolResult>;
}

/** A tool as the server lists and calls it. */
export interface Tool {
  listed: WireTool;
  call(args: unknown, context: ServerContext): Promise<ToolResult>;
}

export function tool<Input extends z.ZodType>(definition: ToolDefinition<Input>): Tool {
  const { name, title, description, annotations, input, output, uiUri } = definition;
  return {
    listed: {
      name,
      title,
      description,
      annotations: { title, ...annotations },
      inputSchema: objectSchema(input, 'input'),
      ...(output ? { outputSchema: objectSchema(output, 'output') } : {}),
      ...(uiUri === undefined ? {} : { _meta: { ui: { resourceUri: uiUri } } }),
    },
    call: (args, context) => definition.run({ args: checked(input, args), context }),
  };
}

/** Through the fault table of the operation where it has one, so that every protocol answers with the same code. */
function checked<Input extends z.ZodType>(input: Input, args: unknown): z.output<Input> {
  if (requestFaults.has(input)) {
    const request = checkRequest(input, args) as ReturnType<typeof checkRequest<z.output<Input>>>;
    if ('value' in request) return request.value;
    throw new ApiError(request.fault.code, { message: request.fault.message });
  }
  const parsed = input.safeParse(args);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw new ApiError('invalid_request', {
    message: `The arguments do not fit the tool: ${field === '' ? '' : `${field}: `}${issue?.message}.`,
  });
}

const jsonSchemas = { input: new WeakMap(), output: new WeakMap() } satisfies Record<
  string,
  WeakMap<z.ZodType, WireTool['inputSchema']>
>;

/** Made once for a schema: a server is made for every request, and only some of them list the tools. */
function objectSchema(schema: z.ZodType, io: 'input' | 'output'): WireTool['inputSchema'] {
  const known: WeakMap<z.ZodType, WireTool['inputSchema']> = jsonSchemas[io];
  const made = known.get(schema);
  if (made) return made;
  const json = z.toJSONSchema(documentedForm(schema), { io, unrepresentable: 'any' });
  const form = { ...json, type: 'object' } as WireTool['inputSchema'];
  known.set(schema, form);
  return form;
}
