/** The built pages of `web/`: the same for everybody, so nothing in them is private. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastifyStatic } from '@fastify/static';
import type { FastifyReply } from 'fastify';
import type { Server } from '../http/server.ts';

const builtDir = join(import.meta.dirname, '..', '..', 'web', 'dist');
/** Addresses that the pages themselves make sense of. */
const pagePaths = [
  '/',
  '/transcripts/:id',
  '/shared/:token',
  '/signin',
  '/settings',
  '/settings/*',
  '/operator',
];
/** Files at the root whose names do not change with their content. */
const rootFiles: Record<string, string> = {
  'manifest.webmanifest': 'application/manifest+json; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'sw.js': 'text/javascript; charset=utf-8',
};

export interface PageFilesDeps {
  /** Where pages send uploads besides this service itself: the origin of the S3 store. */
  storageOrigin: string | undefined;
}

export function isWebProductBuilt(): boolean {
  return existsSync(join(builtDir, 'index.html'));
}

export function pageFiles(server: Server, { storageOrigin }: PageFilesDeps): void {
  // Names in this folder change with their content.
  server.register(fastifyStatic, {
    root: join(builtDir, 'assets'),
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    preCompressed: true,
    immutable: true,
    maxAge: '365d',
  });
  const policy = contentSecurityPolicy(storageOrigin);
  const page = readFileSync(join(builtDir, 'index.html'));
  for (const url of pagePaths) {
    server.route({
      method: 'GET',
      url,
      schema: { hide: true },
      handler: async (_request, reply) => sendPage(reply, page, policy),
    });
  }
  for (const [name, type] of Object.entries(rootFiles)) {
    const content = readFileSync(join(builtDir, name));
    server.route({
      method: 'GET',
      url: `/${name}`,
      schema: { hide: true },
      handler: async (_request, reply) => reply.type(type).header('cache-control', 'no-cache').send(content),
    });
  }
}

function sendPage(reply: FastifyReply, page: Buffer, policy: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .headers({
      'content-security-policy': policy,
      // A sign-in link must not travel on in a Referer.
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(self)',
      'cache-control': 'no-cache',
    })
    .send(page);
}

/** Everything from this service, nothing inline, nobody frames it. */
function contentSecurityPolicy(storageOrigin: string | undefined): string {
  const storage = storageOrigin ? ` ${storageOrigin}` : '';
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data: blob:",
    `media-src 'self' blob:${storage}`,
    `connect-src 'self'${storage}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
