/**
 * Names to addresses, asked of the name servers by ourselves. The system's resolver (getaddrinfo) keeps a thread for as
 * long as a name server is silent, and Node gives it two for the whole process: two links to names whose servers never
 * answer would hold up the lookups of every account. What the machine's hosts file says comes first.
 */
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

export interface NameResolverOptions {
  /** `address:port` of name servers instead of the machine's. For tests. */
  servers?: readonly string[];
  hostsFile?: string;
}

/** Of one try; the second waits twice as long. */
const serverTimeoutMs = 2_500;
const triesMax = 2;

/** All addresses of a name, both families. Rejects when it has none. */
export async function resolveName(
  name: string,
  options: NameResolverOptions = {},
): Promise<readonly string[]> {
  const fixed = await hostsAddresses(name, options.hostsFile ?? '/etc/hosts');
  if (fixed.length > 0) return fixed;
  // Made anew each time: the machine may have moved to another network since.
  const resolver = new Resolver({ timeout: serverTimeoutMs, tries: triesMax });
  if (options.servers) resolver.setServers(options.servers);
  const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
  return interleaved(addressesOf(ipv4), addressesOf(ipv6));
}

/** The first few are tried, so both families are among them. */
function interleaved(first: readonly string[], second: readonly string[]): string[] {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, at) => [first[at], second[at]])
    .flat()
    .filter((address) => address !== undefined);
}

function addressesOf(settled: PromiseSettledResult<string[]>): string[] {
  return settled.status === 'fulfilled' ? settled.value : [];
}

async function hostsAddresses(name: string, file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const wanted = name.toLowerCase();
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((one) => one.toLowerCase() === wanted) ? [address] : [];
  });
}
