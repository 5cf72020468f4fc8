import { fastifySwaggerUi } from '@fastify/swagger-ui';
import type { Server } from './server.ts';

/** The reference at /docs, served from this machine alone, and the document it is made from. */
export async function docsRoutes(server: Server): Promise<void> {
  server.route({
    method: 'GET',
    url: '/api/v1/openapi.json',
    schema: { hide: true },
    handler: async () => server.swagger(),
  });
  await server.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'list', defaultModelsExpandDepth: 0, persistAuthorization: false },
    theme: {
      title: 'Longhand API',
      css: [{ filename: 'longhand.css', content: '.swagger-ui .topbar { display: none }' }],
    },
    staticCSP: true,
  });
}
