/** An OpenAI-compatible transcription endpoint on loopback, so that a test decides how fast, and whether, speech is recognised. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Hooks, onCleanup } from './cleanup.ts';
import type { Environment } from './service.ts';

export interface SpeechEndpoint {
  /** `127.0.0.1:port`, as the allow list wants it. */
  readonly target: string;
  /** Settings of a service that recognises speech by it. */
  readonly settings: Environment;
  /** Requests that came, and the most that were under way at once. */
  readonly requests: number;
  readonly atOnceMost: number;
  answer: (response: ServerResponse) => void | Promise<void>;
}

export const spokenText = 'He was not an ill disposed young man.';

/** At least so long as to be told apart from nothing: the words of a chunk of two seconds. */
export function answerText(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ text: spokenText }));
}

export async function openSpeechEndpoint(hooks: Hooks): Promise<SpeechEndpoint> {
  const counts = { requests: 0, atOnce: 0, atOnceMost: 0 };
  const server = createServer(async (request, response) => {
    counts.requests += 1;
    counts.atOnce += 1;
    counts.atOnceMost = Math.max(counts.atOnceMost, counts.atOnce);
    response.on('close', () => {
      counts.atOnce -= 1;
    });
    response.on('error', () => {});
    await Array.fromAsync(request).catch(() => {});
    await endpoint.answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(hooks, async () => {
    server.closeAllConnections();
    server.close();
  });
  const target = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoint: SpeechEndpoint = {
    target,
    settings: { LONGHAND_ENGINE: 'remote', LONGHAND_ENGINE_URL: `http://${target}/v1` },
    get requests() {
      return counts.requests;
    },
    get atOnceMost() {
      return counts.atOnceMost;
    },
    answer: answerText,
  };
  return endpoint;
}
