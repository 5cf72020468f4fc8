import type { Server } from './server.ts';

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Longhand</title>
<style>
  :root { color-scheme: light dark; font: 17px/1.6 system-ui, sans-serif; }
  body { max-width: 38rem; margin: 12vh auto; padding: 0 1.5rem; }
  h1 { font-size: 2rem; margin: 0 0 .25em; letter-spacing: -.02em; }
  ul { padding-left: 1.2em; }
  code { font-size: .9em; }
</style>
</head>
<body>
<main>
<h1>Longhand</h1>
<p>This is a transcription service. Send it a recording, and it returns text with timed segments.</p>
<ul>
  <li><a href="/docs">API reference</a>, readable and runnable</li>
  <li><a href="/api/v1/openapi.json">OpenAPI document</a></li>
  <li><a href="/api/v1">Version</a></li>
</ul>
<p>Every request needs an API key. The operator of this service makes one with <code>longhand key create</code>.</p>
</main>
</body>
</html>
`;

export function homeRoutes(server: Server): void {
  server.route({
    method: 'GET',
    url: '/',
    schema: { hide: true },
    handler: async (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header(
          'content-security-policy',
          "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        )
        .send(page),
  });
}
