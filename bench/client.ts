/**
 * The typed client: its size, and an upload of 1 GiB that is killed on its way and gone on with, in Node and in Chromium.
 * `npm run bench -- client [packed] [node] [chromium]`: all of it, or some.
 */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { UploadState } from 'longhand-client';
import { chromium } from 'playwright-core';
import { systemClock } from '../src/platform/clock.ts';
import { createLogger } from '../src/platform/telemetry/telemetry.ts';
import { openEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';
import { UploadThreads } from '../src/storage/local/upload-threads.ts';
import { chromiumOptions, wholeChromium } from '../test/support/browser.ts';
import { bundledPage, developerServer, type PageGlobals } from '../test/support/bundled-page.ts';
import type { Hooks } from '../test/support/cleanup.ts';
import { freePort } from '../test/support/free-port.ts';
import { packedClient } from '../test/support/packed-client.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import {
  type BenchPlace,
  type BenchService,
  benchApiKey,
  startBenchService,
} from './stage/upload-service.ts';
import { localStoreAt, sha256Of } from './upload/crash.ts';

const program = promisify(execFile);
const partBytes = 16 * 2 ** 20;
const fileParts = 64;
const killedAt = 0.6;

interface Stage {
  hooks: Hooks;
  place: BenchPlace;
  service: BenchService;
  /** 1 GiB behind the head of a WAV file. */
  file: string;
  sha256: string;
}

/** One run of the client: from the start, or from what an earlier one left. */
interface Sent {
  state: UploadState | undefined;
  /** Parts whose PUT was answered. */
  parts: number;
  /** How much of it was there or sent. */
  fraction: number;
}

export async function run(args: string[]): Promise<Benchmark> {
  const isWanted = (part: string) => args.length === 0 || args.includes(part);
  const rows: BenchmarkRow[] = [];
  const undo: (() => Promise<void>)[] = [];
  const hooks: Hooks = { after: (work) => undo.push(work) };
  try {
    if (isWanted('packed')) rows.push(await packed(hooks));
    if (isWanted('node') || isWanted('chromium')) {
      const stage = await opened(hooks);
      if (isWanted('node')) rows.push(await resumed('Node', stage, inNode(stage)));
      if (isWanted('chromium')) rows.push(await resumed('Chromium', stage, await inChromium(stage)));
    }
    return { title: 'The typed client', rows };
  } finally {
    for (const work of undo.toReversed()) await work();
  }
}

async function packed(hooks: Hooks): Promise<BenchmarkRow> {
  const { installed, tarball } = await packedClient(hooks);
  const { dependencies = {} } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  const { size } = await stat(tarball);
  return {
    figure: 'the npm archive of the client, with types and README; dependencies',
    value: `${size} B; ${Object.keys(dependencies).length}`,
    bar: '≤ 10,000 B; 0',
    passed: size <= 10_000 && Object.keys(dependencies).length === 0,
  };
}

async function opened(hooks: Hooks): Promise<Stage> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-bench-'));
  hooks.after(() => rm(directory, { recursive: true, force: true }));
  const logger = createLogger({ level: 'error', pretty: true });
  const dataDir = join(directory, 'database');
  const postgres = await openEmbeddedPostgres({ dataDir, logger, clock: systemClock });
  hooks.after(() => postgres.close());
  const place: BenchPlace = {
    dataDir: join(directory, 'data'),
    databaseUrl: postgres.connectionString,
    port: await freePort(),
    apiKey: benchApiKey(),
  };
  const service = await startBenchService(place);
  hooks.after(() => service.kill('SIGKILL'));
  const file = join(directory, 'gibibyte.wav');
  await program('dd', ['if=/dev/urandom', `of=${file}`, `bs=${partBytes}`, `count=${fileParts}`]);
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece);
  return { hooks, place, service, file, sha256: hash.digest('hex') };
}

type Runner = (options: { resumeFrom: UploadState | undefined; killAt: number }) => Promise<Sent>;

/** Killed at 60 %, gone on with by another process; then the object is compared with the file. */
async function resumed(where: string, { place, sha256 }: Stage, upload: Runner): Promise<BenchmarkRow> {
  const first = await upload({ resumeFrom: undefined, killAt: killedAt });
  if (!first.state) throw new Error('the upload did not begin');
  const stored = await storedParts(place, first.state);
  const second = await upload({ resumeFrom: first.state, killAt: Number.POSITIVE_INFINITY });
  const uploadThreads = new UploadThreads();
  const isSame = (await sha256Of(localStoreAt(place, uploadThreads), first.state.key)) === sha256;
  await uploadThreads.close();
  const missing = fileParts - stored;
  return {
    figure: `1 GiB by the client in ${where}, killed at ${Math.round(first.fraction * 100)} %: parts stored then, sent after; same SHA-256`,
    value: `${stored}, ${second.parts}; ${isSame ? 'yes' : 'no'}`,
    bar: `only the ${missing} missing; yes`,
    passed: isSame && second.parts === missing && stored >= fileParts * 0.5,
  };
}

async function storedParts({ port, apiKey }: BenchPlace, state: UploadState): Promise<number> {
  const { key, storage, upload_id } = state;
  const query = new URLSearchParams({ key, storage, upload_id });
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/uploads/multipart?${query}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  return ((await answer.json()) as { data: { uploaded: unknown[] } }).data.uploaded.length;
}

/** Tells its state, each part that is stored, and how far it is, a line each. */
const nodeProgram = `
import { Longhand } from 'longhand-client';
import { fileFrom } from 'longhand-client/node';
const { apiKey, baseUrl, file, resumeFrom } = JSON.parse(process.argv[1]);
const tell = (line) => process.stdout.write(JSON.stringify(line) + '\\n');
const counting = async (input, init) => {
  const answer = await fetch(input, init);
  if (init?.method === 'PUT' && answer.ok) tell({ part: true });
  return answer;
};
const longhand = new Longhand({ apiKey, baseUrl, fetch: counting });
await longhand.uploads.upload(await fileFrom(file), {
  ...(resumeFrom ? { resumeFrom } : {}),
  onState: (state) => tell({ state }),
  onProgress: ({ bytesSent, bytesTotal }) => tell({ fraction: bytesSent / bytesTotal }),
});
`;

function inNode({ place, service, file }: Stage): Runner {
  return async ({ resumeFrom, killAt }) => {
    const given = JSON.stringify({ apiKey: place.apiKey, baseUrl: service.url, file, resumeFrom });
    const child = spawn(process.execPath, ['--input-type=module', '-e', nodeProgram, given], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const sent: Sent = { state: undefined, parts: 0, fraction: 0 };
    for await (const line of createInterface({ input: child.stdout })) {
      const { part, state, fraction } = JSON.parse(line);
      if (state) sent.state = state;
      if (part) sent.parts += 1;
      if (fraction !== undefined) sent.fraction = fraction;
      if (sent.fraction >= killAt) child.kill('SIGKILL');
    }
    await ended;
    return sent;
  };
}

/** A browser for each run, so that killing it is the end of everything that it knew. */
async function inChromium({ hooks, place, service, file }: Stage): Promise<Runner> {
  const page = await bundledPage(hooks);
  const address = await developerServer(hooks, { page, service: service.url, key: place.apiKey });
  return async ({ resumeFrom, killAt }) => {
    const browser = await chromium.launch(chromiumOptions([], wholeChromium));
    const sent: Sent = { state: undefined, parts: 0, fraction: 0 };
    const killed = Promise.withResolvers<void>();
    try {
      const tab = await browser.newPage();
      await tab.exposeFunction('keep', (state: UploadState) => {
        sent.state = state;
      });
      await tab.exposeFunction('progress', (fraction: number) => {
        sent.fraction = fraction;
        if (fraction >= killAt) killed.resolve();
      });
      tab.on('response', (answer) => {
        if (answer.request().method() === 'PUT' && answer.ok()) sent.parts += 1;
      });
      await tab.goto(address);
      await tab.setInputFiles('input', file);
      const done = tab.evaluate(async (state) => {
        const { longhand, keep, progress } = globalThis as unknown as PageGlobals & {
          keep(state: UploadState): void;
          progress(fraction: number): void;
        };
        const input = (
          globalThis as unknown as { document: { querySelector(name: string): { files: File[] } } }
        ).document.querySelector('input');
        const [chosen] = input.files;
        if (!chosen) throw new Error('no file was chosen');
        await longhand.uploads.upload(chosen, {
          ...(state ? { resumeFrom: state } : {}),
          onState: keep,
          onProgress: ({ bytesSent, bytesTotal }) => progress(bytesSent / bytesTotal),
        });
      }, resumeFrom);
      await Promise.race([done, killed.promise]);
      return { ...sent };
    } finally {
      await browser.close();
    }
  };
}
