/** `longhand mcp`: agents over standard input and output, on a server or on this machine. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { fileFrom } from '#longhand-client/node';
import { StdioBridge } from '../mcp/stdio-bridge.ts';
import { type SendFile, transcribeFileTool } from '../mcp/tool/transcribe-file.ts';
import { commandContext } from './command-context.ts';
import { CommandFailure } from './command-failure.ts';
import { interruption } from './interruption.ts';
import { type ServerAddress, type ServerOptions, serverAddress } from './server/server-address.ts';
import { serverClient } from './server/server-client.ts';

/** Resolves when the host has closed standard input, or at a signal. */
export async function mcp(options: ServerOptions): Promise<void> {
  const context = commandContext();
  const stopping = interruption();
  const remote = await serverAddress(options, context.config.client);
  const local = remote
    ? undefined
    : await (await import('./server/local-server.ts')).startLocalServer(context);
  try {
    await bridge(remote ?? local?.address ?? fail(), stopping);
  } finally {
    await local?.stop();
  }
}

async function bridge(address: ServerAddress, stopping: AbortSignal): Promise<void> {
  const host = new StdioServerTransport();
  const server = new StreamableHTTPClientTransport(new URL(`${address.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${address.key}` } },
  });
  stopping.addEventListener('abort', () => void host.close(), { once: true });
  await new StdioBridge({ host, server, tools: [transcribeFileTool(fileSender(address))] }).run();
}

function fileSender(address: ServerAddress): SendFile {
  const client = serverClient(address);
  return async (path, { speakerDiarization, signal }) =>
    await client.uploads.upload(await localFile(path), { speakerDiarization, signal });
}

async function localFile(path: string): Promise<File> {
  try {
    return await fileFrom(path);
  } catch (error) {
    throw new CommandFailure('There is no such file on this machine, or it cannot be read.', {
      cause: error,
    });
  }
}

function fail(): never {
  throw new Error('there is neither a server nor one of this machine');
}
