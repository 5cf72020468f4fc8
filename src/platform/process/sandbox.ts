/**
 * Where programs that handle foreign data run: bubblewrap, with user, process, network, IPC, host name and cgroup
 * namespaces of their own, as an ordinary user without capabilities, on a read-only root that holds the system's
 * programs and the files of the job. A program that needs the network finds one proxy there and nothing else.
 */
import { join } from 'node:path';

/** Bubblewrap as it was found to work on this machine (find-sandbox.ts). */
export interface Sandbox {
  /** The program bwrap. */
  command: string;
  version: string;
  /** Flags that not every version of it knows. */
  extraFlags: readonly string[];
  /** Folders that no program may see, wherever they lie: the data directory. */
  hidden: readonly string[];
}

/** What one process sees beside the system's own programs. */
export interface Confinement {
  sandbox: Sandbox;
  /** Where the program itself is installed, if not among the system's programs. */
  program?: readonly string[];
  readable?: readonly string[];
  /** The only folder in which it may write. */
  writable?: string;
  /** The Unix socket of an HTTP proxy, which appears inside as `sandboxProxyPort` of 127.0.0.1. */
  proxySocket?: string;
}

/** Free in every network namespace that is made for one process. */
export const sandboxProxyPort = 3128;

/** Nobody in particular: the number that Linux gives to users who have none. */
const uid = 65_534;
const bridge = join(import.meta.dirname, 'sandbox-bridge.ts');
const bridgeInside = '/run/longhand/bridge.mjs';
const socketInside = '/run/longhand/proxy.sock';

/** Where Linux distributions keep programs and libraries; those that do not exist are left out. */
const systemPaths = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store', '/gnu/store'],
  ...['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d'],
];
/** Certificates of authorities by distribution; the folders of private keys beside them stay out. */
const certificatePaths = [
  ...['/etc/ssl/certs', '/etc/ssl/cert.pem', '/etc/ssl/openssl.cnf', '/etc/ca-certificates'],
  ...[
    '/etc/pki/ca-trust/extracted',
    '/etc/pki/tls/certs',
    '/etc/pki/tls/cert.pem',
    '/etc/pki/tls/openssl.cnf',
  ],
  ...['/etc/crypto-policies'],
];
const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom'];

export function isSystemPath(path: string): boolean {
  return systemPaths.some((root) => isWithin(path, root));
}

/** The command line that runs `line` inside. */
export function confinedLine(
  { sandbox, program = [], readable = [], writable, proxySocket }: Confinement,
  line: readonly string[],
  cwd = '/',
): [string, ...string[]] {
  const node = proxySocket === undefined ? [] : [process.execPath].filter((path) => !isSystemPath(path));
  const installed = [...program, ...node];
  const paths = [...systemPaths, ...(proxySocket === undefined ? [] : certificatePaths)];
  const visible = [...systemPaths, ...installed];
  const masked = sandbox.hidden.filter((folder) => visible.some((root) => isWithin(folder, root)));
  const proxy =
    proxySocket === undefined
      ? []
      : [...readOnly(bridge, bridgeInside), ...readOnly(proxySocket, socketInside)];
  const start =
    proxySocket === undefined ? [] : [process.execPath, bridgeInside, socketInside, String(sandboxProxyPort)];
  return [
    sandbox.command,
    ...['--unshare-user', '--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts'],
    ...['--unshare-cgroup-try', '--uid', String(uid), '--gid', String(uid), '--cap-drop', 'ALL'],
    ...['--hostname', 'sandbox', '--die-with-parent', ...sandbox.extraFlags],
    ...paths.flatMap((path) => ['--ro-bind-try', path, path]),
    ...devices.flatMap((device) => ['--dev-bind-try', device, device]),
    ...installed.flatMap((path) => readOnly(path)),
    // After what they could lie in, before what the job itself may see of them.
    ...masked.flatMap((folder) => ['--tmpfs', folder]),
    ...readable.flatMap((path) => readOnly(path)),
    ...(writable === undefined ? [] : ['--bind', writable, writable]),
    ...proxy,
    ...[...masked, '/'].flatMap((folder) => ['--remount-ro', folder]),
    ...['--chdir', cwd, '--'],
    ...start,
    ...line,
  ];
}

/** The sandbox could not be made: a fault of the machine, not of what the program was given to read. */
export function isSandboxFault(stderr: string): boolean {
  return stderr.startsWith('bwrap: ');
}

function readOnly(path: string, inside = path): string[] {
  return ['--ro-bind', path, inside];
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
