import type { Server } from './server.ts';

/** Starts to listen and gives the address at which this process can be reached. */
export async function listen(
  server: Server,
  { host, port, isTls }: { host: string; port: number; isTls: boolean },
): Promise<string> {
  await server.listen({ host, port });
  const [address] = server.addresses();
  if (!address || typeof address === 'string') throw new Error('the server has no address');
  const isAnyHost = host === '0.0.0.0' || host === '::';
  const name = isAnyHost ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${isTls ? 'https' : 'http'}://${name}:${address.port}`;
}
