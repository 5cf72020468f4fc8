/** Writes the files that are made from code; with --check only says whether they are in step. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RoutesDeps, registerRoutes } from '../src/http/routes.ts';
import { createServer } from '../src/http/server.ts';
import { createLogger } from '../src/platform/telemetry/telemetry.ts';
import { conformanceDocument } from './conformance-document.ts';
import { failuresDocument } from './failures-document.ts';
import { kubernetesManifests } from './kubernetes-manifests.ts';

const root = join(import.meta.dirname, '..');

/** The document needs the routes' schemas only; no handler runs, so nothing stands behind them. */
async function openApiDocument(): Promise<string> {
  const server = createServer({ logger: createLogger({ level: 'silent', pretty: false }) });
  registerRoutes(server, {} as RoutesDeps);
  await server.ready();
  const document = server.swagger();
  await server.close();
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A marker in docs/webhooks.md names the file of docs/examples that the block below it shows. */
function webhooksDocument(): string {
  const page = readFileSync(join(root, 'docs', 'webhooks.md'), 'utf8');
  return page.replace(
    /(<!-- example: (\S+) -->\n\n```\w+\n)[\s\S]*?```/g,
    (_block, head: string, file: string) =>
      `${head}${readFileSync(join(root, 'docs', 'examples', file), 'utf8')}\`\`\``,
  );
}

const generated = new Map([
  ['docs/openapi.json', await openApiDocument()],
  ['docs/failures.md', failuresDocument()],
  ['docs/conformance.md', conformanceDocument()],
  ['docs/webhooks.md', webhooksDocument()],
  ['deploy/kubernetes/longhand.yaml', kubernetesManifests()],
]);

for (const [path, content] of generated) {
  const file = join(root, path);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, content);
  } else if (readFileSync(file, 'utf8') !== content) {
    console.error(`${path} is not in step with the code: run "npm run generate"`);
    process.exitCode = 1;
  }
}
