/** Preloaded into a service (NODE_OPTIONS=--import): a machine whose name server knows nothing, so nothing leaves it. */
import { Resolver } from 'node:dns/promises';

const unknown = async (name: string): Promise<never> => {
  throw Object.assign(new Error(`query ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
};
Resolver.prototype.resolve4 = unknown;
Resolver.prototype.resolve6 = unknown;
