/** Preloaded into a service (NODE_OPTIONS=--import): a machine whose name server knows nothing, so nothing leaves it. */
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

dns.lookup = async (name: string) => {
  throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
};
syncBuiltinESMExports();
