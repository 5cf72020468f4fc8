/** A site whose links send 65 kB that look like media, then a byte every five seconds. */
import { createServer } from 'node:http';
import type { Hooks } from '../../test/support/cleanup.ts';
import { loopbackAddress } from './loopback-address.ts';

const slowEveryMs = 5_000;

/** Gives `address:port`; every path is the same. */
export async function slowSite(hooks: Hooks): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': '100000000' });
    const head = Buffer.alloc(65_536);
    head.write('RIFF\xff\xff\xff\x05WAVEfmt ', 'latin1');
    response.write(head);
    const drip = setInterval(() => response.write('\0'), slowEveryMs);
    response.on('close', () => clearInterval(drip));
  });
  return await loopbackAddress(server, hooks);
}
