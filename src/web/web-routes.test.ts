import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { webRouteTable } from '../../test/support/web-route-table.ts';
import type { Server } from '../http/server.ts';
import { type WebDeps, webRoutes } from './web-routes.ts';

test('the table of routes that strangers are tried on has every route', async () => {
  const server = Fastify();
  // What is in the bodies and answers is not looked at: nothing is asked here.
  server.setValidatorCompiler(() => () => true);
  const registered = new Set<string>();
  server.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat())
      if (one !== 'HEAD' && url.startsWith('/web/')) registered.add(`${one} ${url}`);
  });
  webRoutes(server as unknown as Server, { erasure: {} } as WebDeps);
  await server.ready();
  assert.deepEqual(
    [...registered].toSorted(),
    webRouteTable.map(({ method, url }) => `${method} ${url}`).toSorted(),
  );
  await server.close();
});
