/** The extension io.modelcontextprotocol/tasks: a tool's work that goes on without its request. */

import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type Server,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

export const tasksExtension = 'io.modelcontextprotocol/tasks';

interface TaskFields {
  taskId: string;
  /** For people: what it does, how far it is. */
  statusMessage?: string;
  createdAt: string;
  lastUpdatedAt: string;
  /** How long it can be asked for; null without an end. */
  ttlMs: number | null;
  pollIntervalMs?: number;
}

export type Task = TaskFields &
  (
    | { status: 'working' | 'cancelled' }
    | { status: 'completed'; result: CallToolResult }
    | { status: 'failed'; error: { code: number; message: string } }
  );

/** What a call answers with when its work goes on as a task. */
export type TaskResult = TaskFields & { status: 'working'; resultType: 'task'; [key: string]: unknown };

export interface Tasks {
  /** Undefined where there is no such task for the one who asks. */
  get(taskId: string, context: ServerContext): Promise<Task | undefined>;
  /** Ends it if it still runs. False where there is no such task. */
  cancel(taskId: string, context: ServerContext): Promise<boolean>;
}

/** A client that did not declare the extension in this very request must never be given a task. */
export function knowsTasks(context: ServerContext): boolean {
  // The keys of the envelope are open in the SDK's types.
  const envelope: Record<string, unknown> = context.mcpReq.envelope ?? {};
  return declared.safeParse(envelope[CLIENT_CAPABILITIES_META_KEY]).success;
}

const declared = z.object({ extensions: z.object({ [tasksExtension]: z.object({}) }) });
const invalidParams = -32602;
const named = z.object({ taskId: z.string().max(200) });

/** The SDK has no helper for the extension: its methods are registered as any others. */
export function serveTasks(server: Server, tasks: Tasks): void {
  const guarded =
    <Params, Result>(handle: (params: Params, context: ServerContext) => Promise<Result>) =>
    (params: Params, context: ServerContext) => {
      if (!knowsTasks(context))
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [tasksExtension]: {} } },
        });
      return handle(params, context);
    };
  server.setRequestHandler(
    'tasks/get',
    { params: named },
    guarded(async ({ taskId }: z.infer<typeof named>, context) => {
      const task = await tasks.get(taskId, context);
      if (!task) throw unknownTask();
      const result =
        task.status === 'completed' ? { result: { resultType: 'complete', ...task.result } } : {};
      return { ...task, ...result };
    }),
  );
  server.setRequestHandler(
    'tasks/cancel',
    { params: named },
    guarded(async ({ taskId }: z.infer<typeof named>, context) => {
      if (!(await tasks.cancel(taskId, context))) throw unknownTask();
      return {};
    }),
  );
  server.setRequestHandler(
    'tasks/update',
    { params: named },
    // No task of ours asks for anything, so there is nothing that an answer could change.
    guarded(async ({ taskId }: z.infer<typeof named>, context) => {
      if (!(await tasks.get(taskId, context))) throw unknownTask();
      return {};
    }),
  );
}

function unknownTask(): ProtocolError {
  return new ProtocolError(invalidParams, 'There is no such task.');
}
