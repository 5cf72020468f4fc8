/**
 * Which addresses outgoing requests may reach: a table of ranges, each with its reason. Names are judged by every
 * address they resolve to; this file knows only addresses and the names that can never be public.
 */
import { BlockList, isIP } from 'node:net';

interface AddressRange {
  range: string;
  reason: string;
}

/** IPv4 is public unless listed here (IANA special-purpose registry, and one cloud's metadata address). */
const closedIpv4: readonly AddressRange[] = [
  { range: '0.0.0.0/8', reason: 'this network; reaches the machine itself' },
  { range: '10.0.0.0/8', reason: 'private network' },
  { range: '100.64.0.0/10', reason: 'shared network of a carrier; cloud metadata in some clouds' },
  { range: '127.0.0.0/8', reason: 'loopback' },
  { range: '168.63.129.16/32', reason: 'platform services of a cloud' },
  { range: '169.254.0.0/16', reason: 'link-local; cloud metadata' },
  { range: '172.16.0.0/12', reason: 'private network' },
  { range: '192.0.0.0/24', reason: 'protocol assignments' },
  { range: '192.0.2.0/24', reason: 'documentation' },
  { range: '192.88.99.0/24', reason: '6to4 relay' },
  { range: '192.168.0.0/16', reason: 'private network' },
  { range: '198.18.0.0/15', reason: 'benchmarking' },
  { range: '198.51.100.0/24', reason: 'documentation' },
  { range: '203.0.113.0/24', reason: 'documentation' },
  { range: '224.0.0.0/4', reason: 'multicast' },
  { range: '240.0.0.0/4', reason: 'reserved; broadcast' },
];

/** IPv6 is closed unless inside 2000::/3, and there these are closed too. */
const closedIpv6: readonly AddressRange[] = [
  { range: '2001::/23', reason: 'protocol assignments; Teredo tunnels' },
  { range: '2001:db8::/32', reason: 'documentation' },
  { range: '2002::/16', reason: '6to4 tunnel' },
  { range: '3fff::/20', reason: 'documentation' },
];

/** Where IPv4 stands in the last four bytes and is reached as such: judged by what is inside. */
const carriesIpv4: readonly AddressRange[] = [
  { range: '::ffff:0:0/96', reason: 'IPv4-mapped' },
  { range: '64:ff9b::/96', reason: 'NAT64' },
];

const globalUnicast = blockList('2000::/3');
const ipv4Lists = closedIpv4.map(({ range, reason }) => ({ list: blockList(range), reason }));
const ipv6Lists = closedIpv6.map(({ range, reason }) => ({ list: blockList(range), reason }));
const carrierLists = carriesIpv4.map(({ range }) => blockList(range));

/** Why this address must not be reached, or undefined when it is public. Anything that is no address is refused. */
export function closedAddressReason(address: string): string | undefined {
  switch (isIP(address)) {
    case 4:
      return ipv4Lists.find(({ list }) => list.check(address, 'ipv4'))?.reason;
    case 6:
      return closedIpv6Reason(address);
    default:
      return 'not an address';
  }
}

function closedIpv6Reason(address: string): string | undefined {
  if (address.includes('%')) return 'scoped to one link';
  if (carrierLists.some((list) => list.check(address, 'ipv6'))) {
    return closedAddressReason(lastFourBytes(address));
  }
  if (!globalUnicast.check(address, 'ipv6')) return 'not global unicast';
  return ipv6Lists.find(({ list }) => list.check(address, 'ipv6'))?.reason;
}

const closedSuffixes = ['localhost', 'local', 'internal', 'home.arpa', 'onion', 'localdomain'];

/** Why this name can never be public, whatever it resolves to; undefined when it may be. */
export function closedNameReason(name: string): string | undefined {
  const bare = name.toLowerCase().replace(/\.+$/, '');
  if (bare === '') return 'empty name';
  const suffix = closedSuffixes.find((closed) => bare === closed || bare.endsWith(`.${closed}`));
  if (suffix) return `names under .${suffix} are local`;
  return bare.includes('.') ? undefined : 'a single label is a local name';
}

/** Ports of services that must never be spoken to as if they were web servers (mail, shells, databases, queues). */
const closedPorts: ReadonlySet<number> = new Set([
  ...[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104,
  ],
  ...[
    109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  ],
  ...[526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1433, 1521, 1719, 1720],
  ...[
    1723, 2049, 2375, 2379, 3306, 3389, 3659, 4045, 5060, 5061, 5432, 5672, 6000, 6379, 6566, 6665, 6666,
    6667,
  ],
  ...[6668, 6669, 6697, 9042, 9200, 10080, 11211, 27017],
]);

export function closedPortReason(port: number): string | undefined {
  return closedPorts.has(port) ? `port ${port} does not serve web content` : undefined;
}

/** One spelling for each address: IPv4 dotted, IPv6 compressed in small letters; undefined when it is neither. */
export function canonicalAddress(text: string): string | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (isIP(bare) === 4) return bare;
  if (isIP(bare) !== 6 || bare.includes('%')) return undefined;
  return new URL(`http://[${bare}]/`).hostname.slice(1, -1);
}

function blockList(range: string): BlockList {
  const [net = '', bits = ''] = range.split('/');
  const list = new BlockList();
  list.addSubnet(net, Number(bits), net.includes(':') ? 'ipv6' : 'ipv4');
  return list;
}

function lastFourBytes(address: string): string {
  const canonical = canonicalAddress(address) ?? '';
  const [high = 0, low = 0] = canonical
    .split(':')
    .slice(-2)
    .map((part) => Number.parseInt(part || '0', 16));
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
