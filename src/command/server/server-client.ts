/** The way to a Longhand server of the user's choice: our own client, which no address of a stranger ever reaches. */
import { Longhand, LonghandError } from '#longhand-client';
import { CommandFailure } from '../command-failure.ts';
import type { ServerAddress } from './server-address.ts';

export function serverClient({ url, key }: ServerAddress): Longhand {
  return new Longhand({ baseUrl: url, apiKey: key });
}

/** The same, after one request that shows that a service is there and takes the key. */
export async function verifiedClient(address: ServerAddress, signal?: AbortSignal): Promise<Longhand> {
  const client = serverClient(address);
  try {
    await client.transcriptions.list({ limit: 1, ...(signal ? { signal } : {}) });
    return client;
  } catch (error) {
    signal?.throwIfAborted();
    throw new CommandFailure(sentenceFor(error, address.url), { cause: error });
  }
}

function sentenceFor(error: unknown, url: string): string {
  if (!(error instanceof LonghandError)) return `There is no Longhand at ${url}.`;
  if (error.status === 401) return `The server at ${url} does not take this key: ${error.message}`;
  if (error.status === 0) return `Nothing answers at ${url}: ${error.message}`;
  if (error.code === 'unexpected_answer' || error.status === 404) return `There is no Longhand at ${url}.`;
  return `The server at ${url} refuses: ${error.message}`;
}
