import { StartError } from '../platform/start-error.ts';
import type { Server } from './server.ts';

/** What the operator can do about it, by the system's code. */
const remedies: Record<string, (setting: { host: string; port: string }) => string> = {
  EADDRINUSE: ({ port }) => `another program listens there. Stop it, or choose another ${port}`,
  EACCES: ({ port }) => `this user may not listen there. Choose a ${port} above 1023`,
  EADDRNOTAVAIL: ({ host }) => `this machine does not have that address. Set ${host} to one of its own`,
  ENOTFOUND: ({ host }) => `there is no such name. Set ${host} to an address of this machine`,
};

/** Starts to listen and gives the port: with port 0 the system chooses one. */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
  /** The one setting that names both, where there is one. */
  setting?: string,
): Promise<number> {
  const { level } = server.log;
  try {
    server.log.level = 'warn'; // Fastify announces each address; the start says where it is ready.
    await server.listen({ host, port });
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    const names = { host: setting ?? 'LONGHAND_HOST', port: setting ?? 'LONGHAND_PORT' };
    const remedy =
      remedies[code]?.(names) ?? `${message}. Set ${setting ?? 'LONGHAND_HOST and LONGHAND_PORT'}`;
    throw new StartError(`Longhand cannot listen on ${host} port ${port}: ${remedy}.`, { cause });
  } finally {
    server.log.level = level;
  }
  const [address] = server.addresses();
  if (!address || typeof address === 'string') throw new Error('the server has no address');
  return address.port;
}
