import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';

type CommandLine = [command: string, ...args: string[]];

const root = join(import.meta.dirname, '..');
const somebody = { uid: 65_534, gid: 65_534 };

/**
 * Tests that root runs become other users, who may not go to a checkout below /root: there the tests run on a second
 * mount of it, which only they see. The command line as it is where that is not needed or not possible.
 */
export function reachableCheckout(place: string, [command, ...args]: CommandLine): CommandLine {
  if (process.getuid?.() !== 0 || isReachable(root)) return [command, ...args];
  mkdirSync(place);
  const script = 'mount --bind "$1" "$2" && cd "$2" && shift 2 && exec "$@"';
  const moved = ['--mount', '--', 'sh', '-c', script, 'sh', root, place];
  if (spawnSync('unshare', [...moved, 'true']).status !== 0) return [command, ...args];
  const inside = relative(root, command);
  return ['unshare', ...moved, inside.startsWith('..') ? command : join(place, inside), ...args];
}

function isReachable(path: string): boolean {
  return spawnSync('test', ['-x', path], somebody).status === 0;
}
