import { discovery, discoveryOnWire } from '../contract/discovery.ts';
import { dataOf, errorAnswers, openErrors } from '../contract/envelope.ts';
import type { PublicUrl } from './public-url.ts';
import type { Server } from './server.ts';

/** GET /api/v1: the only operation of the API that needs no key. */
export function discoveryRoutes(
  server: Server,
  { publicUrl, hasMcp }: { publicUrl: PublicUrl; hasMcp: boolean },
): void {
  server.route({
    method: 'GET',
    url: '/api/v1',
    schema: {
      operationId: 'discover',
      summary: 'Version and documentation',
      tags: ['Service'],
      security: [],
      response: { 200: dataOf(discovery, 'Where to read on'), ...errorAnswers(openErrors) },
    },
    handler: async (request) => ({
      data: discoveryOnWire(publicUrl.forHost(request.headers.host), { hasMcp }),
    }),
  });
}
