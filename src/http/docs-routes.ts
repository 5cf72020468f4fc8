import { docsPage } from './docs/docs-page.ts';
import type { Limits } from './docs/limit-section.ts';
import { ApiDocument, type OpenApiDocument } from './docs/open-api.ts';
import { baseUrlMark } from './docs/page-marks.ts';
import { sendPage } from './page.ts';
import { pageAssets } from './page-assets.ts';
import type { PublicUrl } from './public-url.ts';
import type { Server } from './server.ts';

export interface DocsDeps {
  publicUrl: PublicUrl;
  limits: Limits;
}

/** The reference at /docs, made from the API document and served by this machine alone, and the document itself. */
export function docsRoutes(server: Server, deps: DocsDeps): void {
  server.route({
    method: 'GET',
    url: '/api/v1/openapi.json',
    schema: { hide: true },
    handler: async () => server.swagger(),
  });
  let page: string | undefined;
  server.route({
    method: 'GET',
    url: '/docs',
    schema: { hide: true },
    handler: async (request, reply) => {
      page ??= docsPage(new ApiDocument(server.swagger() as unknown as OpenApiDocument), deps.limits);
      // An origin has no character that HTML knows.
      return sendPage(reply, page.replaceAll(baseUrlMark, deps.publicUrl.forHost(request.headers.host)));
    },
  });
  pageAssets(server);
}
