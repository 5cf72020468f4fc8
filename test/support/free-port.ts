import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to connections: none of the many on a busy machine takes it in between. */
const lowestPort = 20_000;
const highestPort = 32_000;
const attemptsMax = 50;

/** A port that nobody listened on a moment ago, for what cannot take port 0. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort));
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port in ${attemptsMax} attempts`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
