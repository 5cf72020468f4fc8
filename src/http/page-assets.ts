import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from './server.ts';

interface Asset {
  type: string;
  content: Buffer;
  version: string;
}

const path = '/docs/assets';
const directory = join(import.meta.dirname, 'assets');
const types: Record<string, string> = {
  'tokens.css': 'text/css; charset=utf-8',
  'look.css': 'text/css; charset=utf-8',
  'docs.css': 'text/css; charset=utf-8',
  'docs.js': 'text/javascript; charset=utf-8',
  'favicon.svg': 'image/svg+xml',
};
const assets = new Map<string, Asset>();

function asset(name: string): Asset {
  const known = assets.get(name);
  if (known) return known;
  const type = types[name];
  if (type === undefined) throw new Error(`there is no asset ${name}`);
  const content = readFileSync(join(directory, name));
  const version = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const read = { type, content, version };
  assets.set(name, read);
  return read;
}

/** The address of a style, script or picture of our pages; it changes with the content, so browsers may keep it. */
export function assetUrl(name: string): string {
  return `${path}/${name}?v=${asset(name).version}`;
}

export function pageAssets(server: Server): void {
  for (const name of Object.keys(types)) {
    server.route({
      method: 'GET',
      url: `${path}/${name}`,
      schema: { hide: true },
      handler: async (request, reply) => {
        const { type, content, version } = asset(name);
        const isThisVersion = (request.query as { v?: unknown }).v === version;
        reply.header('cache-control', isThisVersion ? 'public, max-age=31536000, immutable' : 'no-cache');
        return reply.type(type).send(content);
      },
    });
  }
}
