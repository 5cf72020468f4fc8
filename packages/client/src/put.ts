import { LonghandError } from './error.ts';
import type { Transport } from './transport.ts';

export interface Put {
  url: string;
  headers?: Record<string, string>;
  body: Blob | Uint8Array<ArrayBuffer>;
  signal: AbortSignal;
  /** Called with the bytes of this body that have gone out so far. */
  onBytes(bytes: number): void;
}

/** Sends one body to a storage URL, without the API key, and gives its ETag. */
export async function put(transport: Transport, request: Put): Promise<string> {
  const etag =
    typeof XMLHttpRequest === 'undefined' ? await putByFetch(transport, request) : await putByXhr(request);
  const { body } = request;
  request.onBytes(body instanceof Blob ? body.size : body.length);
  return etag;
}

async function putByFetch(transport: Transport, { url, headers, body, signal }: Put): Promise<string> {
  const response = await transport.fetch(url, { method: 'PUT', headers: headers ?? {}, body, signal });
  await response.arrayBuffer(); // To its end, so that the connection can be used again.
  if (!response.ok) throw refusal(response.status);
  return response.headers.get('etag') ?? '';
}

/** Only this tells a browser how much has gone out. */
function putByXhr({ url, headers, body, signal, onBytes }: Put): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers ?? {})) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onBytes(loaded);
    request.onerror = () =>
      reject(new LonghandError('The connection failed.', { code: 'connection_failed' }));
    request.onabort = () => reject(signal.reason);
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(request.getResponseHeader('etag') ?? '');
      else reject(refusal(request.status));
    };
    signal.addEventListener('abort', () => request.abort(), { once: true });
    if (signal.aborted) reject(signal.reason);
    else request.send(body);
  });
}

function refusal(status: number): LonghandError {
  return new LonghandError(`The storage answered ${status}.`, {
    code: 'upload_refused',
    status,
  });
}
