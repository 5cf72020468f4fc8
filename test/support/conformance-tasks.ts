/** Tasks as the conformance suite wants them, kept in memory: what it examines is how ours are told on the wire. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { knowsTasks, type Task, type TaskResult, type Tasks } from '../../src/mcp/task.ts';
import { type Tool, type ToolResult, tool } from '../../src/mcp/tool.ts';

interface Kept {
  task: Task;
  abort: AbortController;
}

export class ConformanceTasks implements Tasks {
  readonly #kept = new Map<string, Kept>();

  async get(taskId: string): Promise<Task | undefined> {
    return this.#kept.get(taskId)?.task;
  }

  async cancel(taskId: string): Promise<boolean> {
    const kept = this.#kept.get(taskId);
    kept?.abort.abort();
    if (kept?.task.status === 'working') kept.task = { ...fieldsOf(taskId), status: 'cancelled' };
    return kept !== undefined;
  }

  start(
    work: (signal: AbortSignal) => Promise<Task['status'] extends never ? never : ToolResult>,
  ): TaskResult {
    const taskId = randomUUID();
    const kept: Kept = { task: { ...fieldsOf(taskId), status: 'working' }, abort: new AbortController() };
    this.#kept.set(taskId, kept);
    work(kept.abort.signal).then(
      (result) => {
        if (kept.task.status === 'working')
          kept.task = { ...fieldsOf(taskId), status: 'completed', result: result as never };
      },
      (error: Error) => {
        if (kept.task.status === 'working')
          kept.task = {
            ...fieldsOf(taskId),
            status: 'failed',
            error: { code: -32603, message: error.message },
          };
      },
    );
    return { ...fieldsOf(taskId), status: 'working', resultType: 'task' };
  }
}

function fieldsOf(taskId: string) {
  const now = new Date().toISOString();
  return { taskId, createdAt: now, lastUpdatedAt: now, ttlMs: null, pollIntervalMs: 200 };
}

const says = (text: string, isError = false) => ({ content: [{ type: 'text' as const, text }], isError });

export function taskTools(tasks: ConformanceTasks): Tool[] {
  const common = { title: 'Fixture', description: 'Fixture', annotations: {} };
  return [
    tool({
      ...common,
      name: 'greet',
      input: z.looseObject({ name: z.string().default('World') }),
      run: async ({ args: { name } }) => says(`Hello, ${name}!`),
    }),
    tool({
      ...common,
      name: 'slow_compute',
      input: z.looseObject({ seconds: z.number().default(1) }),
      run: async ({ args: { seconds }, context }) => {
        const work = async (signal: AbortSignal) => {
          await delay(seconds * 1000, undefined, { signal });
          return says('computed');
        };
        return knowsTasks(context) ? tasks.start(work) : await work(context.mcpReq.signal);
      },
    }),
    tool({
      ...common,
      name: 'failing_job',
      input: z.looseObject({}),
      run: async () => tasks.start(async () => says('it failed', true)),
    }),
    tool({
      ...common,
      name: 'protocol_error_job',
      input: z.looseObject({}),
      run: async () => tasks.start(() => Promise.reject(new Error('it broke'))),
    }),
  ];
}
