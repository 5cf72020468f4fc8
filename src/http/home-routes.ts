import { html } from './html.ts';
import { pageText, sendPage } from './page.ts';
import type { Server } from './server.ts';

const body = html`<main class="page"><section class="drop"><h1>Recordings in, text out.</h1>
<p class="quiet">This is a transcription service. Send it a file or a link; it gives back text with timed segments.</p>
<p class="row"><a class="btn main" href="/docs">Read the API guide</a><a class="btn" href="/api/v1/openapi.json">OpenAPI document</a></p>
<p class="small quiet">Every request needs an API key. The operator of this service makes one with <code>longhand key create</code>.</p></section></main>`;

export function homeRoutes(server: Server): void {
  server.route({
    method: 'GET',
    url: '/',
    schema: { hide: true },
    handler: async (_request, reply) =>
      sendPage(
        reply,
        pageText({ title: 'Longhand', description: 'A transcription service on its own machine.', body }),
      ),
  });
}
