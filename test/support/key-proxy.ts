/** For clients that cannot send a key: a proxy on loopback that adds it and passes everything else as it is. */
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Hooks, onCleanup } from './cleanup.ts';

export async function startKeyProxy(
  hooks: Hooks,
  { url, key }: { url: string; key: string | undefined },
): Promise<string> {
  const { hostname, port } = new URL(url);
  const proxy = createServer((request, response) => {
    const { method, url: path, headers } = request;
    const onward = sendRequest(
      { hostname, port, method, path, headers: { ...headers, authorization: `Bearer ${key}` } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onCleanup(hooks, async () => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
