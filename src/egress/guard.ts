/**
 * Opens connections to the outside: resolves a name once, refuses it when any of its addresses is not public,
 * connects to the address that was checked and makes sure that this one answers. Everything that leaves the
 * service (requests, and subprocesses through the proxy) goes through here.
 */
import { connect as connectSocket, isIP, type Socket } from 'node:net';
import type { Clock } from '../platform/clock.ts';
import {
  canonicalAddress,
  closedAddressReason,
  closedNameReason,
  closedPortReason,
} from './address-policy.ts';
import { EgressFailure } from './failure.ts';
import { resolveName } from './name-resolver.ts';
import type { EgressAllow } from './url.ts';

export type Resolve = (name: string) => Promise<readonly string[]>;

export interface DialledConnection {
  socket: Socket;
  /** Who really answers, as the operating system says. */
  peerAddress: string | undefined;
}

export type Dial = (address: string, port: number, signal: AbortSignal) => Promise<DialledConnection>;

export interface GuardOptions {
  allow: EgressAllow;
  clock: Clock;
  /** Tests answer for the name server here. */
  resolve?: Resolve;
  /** Tests lead public addresses to their own server here. */
  dial?: Dial;
}

export interface EgressGuard {
  readonly allow: EgressAllow;
  /** The addresses of a host, every one of them allowed on this port. Throws an EgressFailure otherwise. */
  check(host: string, port: number, signal: AbortSignal): Promise<readonly string[]>;
  /** A plain socket to a checked address of the host. */
  connect(host: string, port: number, options: { connectMs: number; signal?: AbortSignal }): Promise<Socket>;
}

/** A name may have many addresses; so many are tried before giving up. */
const attemptsMax = 3;

export function createEgressGuard(options: GuardOptions): EgressGuard {
  const { allow, clock, resolve = (name) => resolveName(name), dial = systemDial } = options;

  async function check(host: string, port: number, signal: AbortSignal): Promise<readonly string[]> {
    const bare = plainHost(host);
    const literal = isIP(bare) !== 0;
    const closedName = literal ? undefined : closedNameReason(bare);
    if (closedName) throw new EgressFailure('blocked', closedName);
    const addresses = literal ? [bare] : await resolved(resolve, bare, signal);
    for (const address of addresses) {
      if (allow.has(address, port)) continue;
      const reason = closedAddressReason(address) ?? closedPortReason(port);
      if (reason) throw new EgressFailure('blocked', reason);
    }
    return addresses;
  }

  return {
    allow,
    check,
    async connect(host, port, { connectMs, signal }) {
      const timeout = clock.timeout(connectMs);
      const both = signal ? AbortSignal.any([signal, timeout]) : timeout;
      try {
        const addresses = await check(host, port, both);
        return await firstAnswering(addresses.slice(0, attemptsMax), port, dial, both);
      } catch (error) {
        if (timeout.aborted) throw new EgressFailure('timeout', 'no connection in time', { cause: error });
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}

/** Numbers that mean an address (127.1, 0x7f000001) become it, as they would in the name server's library. */
function plainHost(host: string): string {
  if (isIP(host) !== 0) return host;
  const url = URL.parse(`http://${host}/`);
  if (url?.pathname !== '/' || url.username !== '' || url.port !== '') {
    throw new EgressFailure('blocked', 'not a host name');
  }
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

async function resolved(resolve: Resolve, name: string, signal: AbortSignal): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await abortable(resolve(name), signal);
  } catch (error) {
    signal.throwIfAborted();
    throw new EgressFailure('dns', 'the name does not resolve', { cause: error });
  }
  if (addresses.length === 0) throw new EgressFailure('dns', 'the name has no address');
  return addresses;
}

async function firstAnswering(
  addresses: readonly string[],
  port: number,
  dial: Dial,
  signal: AbortSignal,
): Promise<Socket> {
  let last: unknown;
  for (const address of addresses) {
    signal.throwIfAborted();
    try {
      const { socket, peerAddress } = await dial(address, port, signal);
      if (canonicalAddress(peerAddress ?? '') === canonicalAddress(address)) return socket;
      socket.destroy();
      throw new EgressFailure('blocked', 'another address answered than the checked one');
    } catch (error) {
      if (error instanceof EgressFailure) throw error;
      last = error;
    }
  }
  throw new EgressFailure('connect', codeOf(last), { cause: last });
}

/** The signal ends the attempt only: a connected socket belongs to whoever asked for it. */
function systemDial(address: string, port: number, signal: AbortSignal): Promise<DialledConnection> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ host: address, port });
    const abort = () => socket.destroy(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const settle = () => signal.removeEventListener('abort', abort);
    socket.once('error', (error) => {
      settle();
      reject(error);
    });
    socket.once('connect', () => {
      settle();
      socket.removeAllListeners('error');
      socket.setNoDelay(true);
      resolve({ socket, peerAddress: socket.remoteAddress });
    });
  });
}

/** The name server cannot be interrupted; we stop waiting for it. */
function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? 'no connection';
}
