/** The way to the service: its API through the client package, and the routes that only these pages use. */
import { Longhand, LonghandError } from 'longhand-client';

const pageHeaders = { 'x-longhand-page': '1' };
const timeoutMs = 30_000;

/** With the session's cookie instead of a key. */
export const fetchAsPage: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.delete('authorization');
  for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value);
  return fetch(input, { ...init, headers, credentials: 'same-origin' });
};

export const longhand = new Longhand({ apiKey: '', baseUrl: location.origin, fetch: fetchAsPage });

export interface PageRequest {
  body?: unknown;
  signal?: AbortSignal;
}

/** One request to a route below `/web`; gives what stands under `data`. Throws a LonghandError. */
export async function request<Data>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  { body, signal }: PageRequest = {},
): Promise<Data> {
  const limit = AbortSignal.timeout(timeoutMs);
  const response = await fetchAsPage(path, {
    method,
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  }).catch((cause: unknown) => {
    signal?.throwIfAborted();
    throw new LonghandError('The connection failed.', { code: 'connection_failed', cause });
  });
  if (response.status === 204) return undefined as Data;
  const answer = (await response.json().catch(() => ({}))) as {
    data?: Data;
    error?: { code: string; message: string };
  };
  if (!response.ok) {
    const { code = 'unknown', message = response.statusText } = answer.error ?? {};
    throw new LonghandError(message, { code, status: response.status });
  }
  return answer.data as Data;
}

export function codeOf(error: unknown): string {
  return error instanceof LonghandError ? error.code : 'unknown';
}
