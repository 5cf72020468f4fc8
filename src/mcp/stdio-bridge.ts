/** MCP over standard input and output: every message goes to a Longhand server as it is, and back. */
import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from '@modelcontextprotocol/server';
import { isJSONRPCRequest, isJSONRPCResultResponse } from '@modelcontextprotocol/server';
import type { Tool } from './tool.ts';

/** A tool that needs this machine: its call becomes one that the server can answer. */
export interface LocalTool {
  listed: Tool['listed'];
  /** Throws an error whose message is for the agent. */
  translate(
    args: unknown,
    signal: AbortSignal,
  ): Promise<{ name: string; arguments: Record<string, unknown> }>;
}

const serverFault = -32603;

export class StdioBridge {
  readonly #host: Transport;
  readonly #server: Transport;
  readonly #tools: ReadonlyMap<string, LocalTool>;
  /** Requests under way: a list of tools gets ours added, and a cancelled one is given up. */
  readonly #pending = new Map<RequestId, { method: string; abort: AbortController }>();

  constructor({ host, server, tools }: { host: Transport; server: Transport; tools: readonly LocalTool[] }) {
    this.#host = host;
    this.#server = server;
    this.#tools = new Map(tools.map((tool) => [tool.listed.name, tool]));
  }

  /** Resolves when the host has closed its end. */
  async run(): Promise<void> {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    this.#host.onclose = resolve;
    this.#host.onmessage = (message) => void this.#fromHost(message);
    this.#server.onmessage = (message) => void this.#fromServer(message);
    await this.#server.start();
    await this.#host.start();
    await closed;
    for (const { abort } of this.#pending.values()) abort.abort();
    await this.#server.close();
  }

  async #fromHost(message: JSONRPCMessage): Promise<void> {
    if (!isJSONRPCRequest(message)) {
      const cancelled = cancelledRequest(message);
      if (cancelled !== undefined) this.#pending.get(cancelled)?.abort.abort();
      // A notification has no answer that could tell of its failure.
      await this.#server.send(message).catch(() => {});
      return;
    }
    const { id, method } = message;
    const abort = new AbortController();
    this.#pending.set(id, { method, abort });
    try {
      const local = method === 'tools/call' ? this.#tools.get(String(message.params?.name)) : undefined;
      const sent = local ? await this.#translated(local, message, abort.signal) : message;
      if (sent) await this.#server.send(sent, { requestSignal: abort.signal });
    } catch (error) {
      this.#pending.delete(id);
      if (abort.signal.aborted) return;
      const text = `The Longhand server did not answer: ${(error as Error).message}`;
      await this.#tell({ jsonrpc: '2.0', id, error: { code: serverFault, message: text } });
    }
  }

  /** Undefined when the host has its answer already: the tool could not do its part. */
  async #translated(
    local: LocalTool,
    request: JSONRPCRequest,
    signal: AbortSignal,
  ): Promise<JSONRPCRequest | undefined> {
    try {
      const call = await local.translate(request.params?.arguments, signal);
      return { ...request, params: { ...request.params, ...call } };
    } catch (error) {
      this.#pending.delete(request.id);
      if (signal.aborted) return undefined;
      const { message, code = 'invalid_request' } = error as Error & { code?: string };
      const result = {
        resultType: 'complete',
        isError: true,
        content: [{ type: 'text', text: `${code}: ${message}` }],
        structuredContent: { error: { code, message } },
      };
      await this.#tell({ jsonrpc: '2.0', id: request.id, result });
      return undefined;
    }
  }

  async #fromServer(message: JSONRPCMessage): Promise<void> {
    if (!isJSONRPCResultResponse(message) || message.id === undefined) return await this.#tell(message);
    const { result } = message;
    const method = this.#pending.get(message.id)?.method;
    this.#pending.delete(message.id);
    if (method === 'initialize' && typeof result.protocolVersion === 'string')
      this.#server.setProtocolVersion?.(result.protocolVersion);
    if (method !== 'tools/list' || !Array.isArray(result.tools)) return await this.#tell(message);
    const tools = [...result.tools, ...[...this.#tools.values()].map(({ listed }) => listed)];
    await this.#tell({ ...message, result: { ...result, tools } });
  }

  /** A host that is gone hears nothing. */
  async #tell(message: JSONRPCMessage): Promise<void> {
    await this.#host.send(message).catch(() => {});
  }
}

function cancelledRequest(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  return message.params?.requestId as RequestId | undefined;
}
