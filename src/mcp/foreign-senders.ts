import type { FastifyInstance } from 'fastify';
import { ApiError } from '../contract/errors.ts';

export interface AllowedSenders {
  /** Hostnames under which this service is reached; undefined where any may be right, as behind a proxy. */
  hosts: ReadonlySet<string> | undefined;
  /** Hostnames of pages that may send requests. */
  origins: ReadonlySet<string>;
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * A web page of somebody else must not reach a service on a person's own machine by a name that it points there (DNS
 * rebinding). The name is checked where only this machine can connect; elsewhere any name may be a proxy's. A page's
 * origin is checked everywhere; programs send none.
 */
export function allowedSenders({
  host,
  publicUrl,
}: {
  host: string;
  publicUrl: string | undefined;
}): AllowedSenders {
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
  const isLoopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
  const local = isLoopback ? [...loopbackNames, host] : [];
  return {
    hosts: isLoopback ? new Set([...local, ...own]) : undefined,
    origins: new Set([...local, ...own]),
  };
}

export function refuseForeignSenders(scope: FastifyInstance, { hosts, origins }: AllowedSenders): void {
  scope.addHook('onRequest', async ({ headers: { host, origin } }) => {
    if (hosts && !hosts.has(hostnameOf(`http://${host}`))) throw new ApiError('forbidden_origin');
    if (origin !== undefined && !origins.has(hostnameOf(origin))) throw new ApiError('forbidden_origin');
  });
}

function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
