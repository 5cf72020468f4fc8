/** What a developer makes of the document: types by openapi-typescript, and the client that goes with them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');
// Inside the checkout, so that the program finds the client library.
const directory = await mkdtemp(join(root, 'node_modules', '.client-'));
after(() => rm(directory, { recursive: true }));

/** openapi-typescript writes with the compiler's JavaScript API, which TypeScript 7 does not have any more. */
const hooks = registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
});
const { astToString, default: openapiTypescript } = await import('openapi-typescript');
const document = JSON.parse(await readFile(join(root, 'docs', 'openapi.json'), 'utf8'));
await writeFile(join(directory, 'schema.ts'), astToString(await openapiTypescript(document)));
hooks.deregister();

/** The compiler's complaints about a program that uses the generated types. */
async function complaints(statements: string): Promise<string> {
  const program = join(directory, 'program.ts');
  await writeFile(
    program,
    `import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1' });
${statements}
export {};
`,
  );
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--types', ''];
  const modules = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable'];
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [tsc, ...options, ...modules, '--allowImportingTsExtensions', '--ignoreConfig', program];
  return promisify(execFile)(process.execPath, args, { cwd: directory }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

test('the simplest prepare compiles: a filename and a size, and what comes back is told apart by type', async () => {
  const program = `
const { data, error } = await client.POST('/api/v1/uploads', { body: { filename: 'a.mp3', size: 1 } });
if (!data) throw new Error(error.error.code);
const { key, storage, upload } = data.data;
const target: string = upload.type === 'single' ? upload.url : upload.upload_id;
await client.POST('/api/v1/transcriptions', { body: { upload: { filename: 'a.mp3', size: 1, key, storage } } });`;
  assert.equal(await complaints(program), '');
});

test('a link, a list and a subscription compile without fields that have a default', async () => {
  const program = `
await client.POST('/api/v1/transcriptions', {
  body: { source_url: 'https://example.com/a.mp3' },
  params: { header: { 'Idempotency-Key': 'a' } },
});
await client.POST('/api/v1/transcriptions', { body: { source_url: 'https://example.com/a.mp3' } });
await client.GET('/api/v1/transcriptions');
const { data } = await client.GET('/api/v1/transcriptions/{id}', { params: { path: { id: 'x' } } });
const speaker: string | number | undefined = data?.data.segments?.[0]?.speaker;
await client.POST('/api/v1/webhook-subscriptions', {
  body: { url: 'https://example.com/hook', events: ['transcription.completed'] },
});`;
  assert.equal(await complaints(program), '');
});

test('no source, both sources, and a storage that does not exist do not compile', async () => {
  const upload = `{ filename: 'a.mp3', size: 1, key: 'k', storage: 'local' as const }`;
  for (const body of [
    '{}',
    `{ source_url: 'https://example.com/a.mp3', upload: ${upload} }`,
    `{ upload: { filename: 'a.mp3', size: 1, key: 'k', storage: 'tape' } }`,
  ]) {
    assert.match(
      await complaints(`await client.POST('/api/v1/transcriptions', { body: ${body} });`),
      /error TS2/,
      body,
    );
  }
});
