import { z } from 'zod';
import { dataOf, errorAnswers, openErrors } from '../contract/envelope.ts';
import type { PublicUrl } from './public-url.ts';
import type { Server } from './server.ts';

const discovery = z.object({
  name: z.string(),
  version: z.literal('v1'),
  documentation_url: z.url(),
  openapi_url: z.url(),
  mcp_url: z.url().optional().describe('Where agents connect; only while that is switched on'),
});

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
    handler: async (request) => {
      const base = publicUrl.forHost(request.headers.host);
      return {
        data: {
          name: 'longhand',
          version: 'v1' as const,
          documentation_url: `${base}/docs`,
          openapi_url: `${base}/api/v1/openapi.json`,
          ...(hasMcp ? { mcp_url: `${base}/mcp` } : {}),
        },
      };
    },
  });
}
