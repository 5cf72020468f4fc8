/**
 * yt-dlp as we run it: in a sandbox whose only network is the proxy of the job, never updating itself, never running
 * another program but the JavaScript runtime, never reading a configuration or cookies of the machine.
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EgressProxy } from '../../egress/proxy.ts';
import type { Clock } from '../../platform/clock.ts';
import { findProgram, type Program } from '../../platform/process/program.ts';
import { type Confinement, isSandboxFault, type Sandbox } from '../../platform/process/sandbox.ts';
import { type FinishedProcess, type ProcessSpec, runProcess } from '../../platform/process/subprocess.ts';
import { MediaFailure } from '../media-failure.ts';

export interface PageProgramOptions {
  /** Where it may be, best first: a path, or a name to look for. */
  ytdlp: readonly string[];
  /** Undefined on a machine that cannot confine programs. */
  sandbox: Sandbox | undefined;
  clock: Clock;
}

export interface PageProgramVersion {
  path: string;
  version: string;
  /** Undefined when the version is not a date. */
  ageDays: number | undefined;
}

export interface PageRunOptions {
  /** The only folder that it may write in. */
  folder: string;
  proxy: EgressProxy;
  timeoutMs: number;
  /** Of the largest file that it may write. */
  fileBytesMax: number;
  signal: AbortSignal | undefined;
}

/**
 * Without a sandbox nothing but the program itself keeps a page's wishes in check. Since 2023.11.14 a link can no
 * longer carry headers, by which a page led it round the proxy (CVE-2023-46121; the header itself still works in
 * 2026.08.19). This version also closes the last known hole that a page alone can use (CVE-2026-50023).
 */
export const unconfinedVersionMin = '2026.06.09';

const outputBytesMax = 16 * 1024 * 1024;
const askTimeoutMs = 60_000;
const memoryBytes = 4_294_967_296;

/** Each with its value, if it takes one. Those that the installed version does not know are left out. */
const flags: readonly (readonly string[])[] = [
  ...[['--no-plugin-dirs'], ['--no-cache-dir'], ['--no-playlist'], ['--no-exec'], ['--no-cookies']],
  ...[['--no-cookies-from-browser'], ['--no-remote-components'], ['--no-netrc'], ['--no-update']],
  ...[
    ['--socket-timeout', '10'],
    ['--retries', '2'],
    ['--fragment-retries', '2'],
    ['--extractor-retries', '1'],
  ],
  ...[['--no-progress'], ['--no-warnings'], ['--no-part'], ['--no-mtime']],
  ...[['--abort-on-unavailable-fragments'], ['--fixup', 'never'], ['--downloader', 'native']],
  ...[
    ['--ffmpeg-location', '/nonexistent'],
    ['--js-runtimes', `node:${process.execPath}`],
  ],
  ...[['--no-write-subs'], ['--no-write-thumbnail'], ['--no-write-comments'], ['--no-colors']],
];

interface Known extends PageProgramVersion {
  program: Program;
  /** Of the file: another one may be installed while the service runs. */
  mark: string;
  flags: ReadonlySet<string>;
}

export class PageProgram {
  readonly #options: PageProgramOptions;
  #known: Promise<Known> | undefined;

  constructor(options: PageProgramOptions) {
    this.#options = options;
  }

  get isConfined(): boolean {
    return this.#options.sandbox !== undefined;
  }

  /** Throws a MediaFailure when it is missing, does not start, or may not be used here. */
  async version(): Promise<PageProgramVersion> {
    const known = await this.#knowledge();
    if (!this.isConfined && !isAtLeast(known.version, unconfinedVersionMin)) {
      const cause = `no sandbox, and ${known.version} is older than ${unconfinedVersionMin}`;
      throw new MediaFailure('source_resolver_unconfined', { cause });
    }
    const { path, version, ageDays } = known;
    return { path, version, ageDays };
  }

  async run(args: readonly string[], options: PageRunOptions): Promise<FinishedProcess> {
    await this.version();
    const known = await this.#knowledge();
    const { folder, proxy, signal } = options;
    const timeout = this.#options.clock.timeout(options.timeoutMs);
    const run = await runProcess({
      ...this.#inside(known.program, folder, proxy.socket),
      args: [
        ...['--ignore-config', '--config-locations', '-'],
        ...flags.filter(([name = '']) => known.flags.has(name)).flat(),
        ...args,
      ],
      input: `--proxy ${proxy.url}\n`,
      limits: { memoryBytes, cpuSeconds: 1_800, openFiles: 256, fileBytes: options.fileBytesMax },
      niceness: 10,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      outputBytesMax,
    });
    signal?.throwIfAborted();
    if (isSandboxFault(run.stderr)) throw new Error(`yt-dlp could not be started: ${run.stderr.slice(-500)}`);
    // Not tried again: what took this long would keep a worker as long once more.
    if (timeout.aborted)
      throw new MediaFailure('media_too_slow', { cause: 'yt-dlp took too long', transient: false });
    return run;
  }

  /** Asked once for each file: which flags this version has, and how old it is. */
  async #knowledge(): Promise<Known> {
    const program = await findProgram(this.#options.ytdlp);
    if (!program) {
      const cause = `${this.#options.ytdlp.join(' and ')} not found`;
      throw new MediaFailure('source_resolver_unavailable', { cause });
    }
    const { mtimeMs, size } = await stat(program.path);
    const mark = `${program.path} ${mtimeMs} ${size}`;
    const known = await this.#known?.catch(() => undefined);
    if (known?.mark === mark) return known;
    this.#known = this.#ask(program, mark);
    return await this.#known;
  }

  async #ask(program: Program, mark: string): Promise<Known> {
    const folder = await mkdtemp(join(tmpdir(), 'longhand-page-'));
    try {
      const { clock, sandbox } = this.#options;
      const signal = clock.timeout(askTimeoutMs);
      const inside = { ...this.#inside(program, folder, undefined), limits: { memoryBytes, cpuSeconds: 60 } };
      const [help, version] = await Promise.all([
        said({ ...inside, args: ['--ignore-config', '--help'] }, signal),
        said({ ...inside, args: ['--ignore-config', '--version'] }, signal),
        // Node carries the way to the proxy: where it does not start inside, no page can be opened.
        sandbox ? said(nodeInside(sandbox), signal) : '',
      ]);
      return {
        program,
        mark,
        path: program.path,
        flags: new Set(help.match(/--[a-z][a-z-]+/g)),
        version: version.trim(),
        ageDays: ageDays(version.trim(), clock.now()),
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  #inside(
    { path, files }: Program,
    folder: string,
    proxySocket: string | undefined,
  ): Omit<ProcessSpec, 'args'> {
    const { sandbox } = this.#options;
    const confinement: Confinement | undefined = sandbox && {
      sandbox,
      program: files,
      writable: folder,
      ...(proxySocket === undefined ? {} : { proxySocket }),
    };
    return {
      command: path,
      cwd: folder,
      env: { HOME: folder, TMPDIR: folder, PYTHONDONTWRITEBYTECODE: '1', PYTHONIOENCODING: 'utf-8' },
      ...(confinement ? { confinement } : {}),
    };
  }
}

function nodeInside(sandbox: Sandbox): ProcessSpec {
  const program = [process.execPath];
  return { command: process.execPath, args: ['--version'], confinement: { sandbox, program } };
}

async function said(spec: ProcessSpec, signal: AbortSignal): Promise<string> {
  const { code, stdout, stderr } = await runProcess({ ...spec, signal, outputBytesMax }).catch((cause) => {
    throw new MediaFailure('source_resolver_unavailable', { cause });
  });
  if (code === 0) return stdout.toString('utf8');
  const cause = `${spec.command}: ${stderr.slice(-500) || `exit ${code}`}`;
  throw new MediaFailure('source_resolver_unavailable', { cause });
}

/** Versions are dates: 2026.10.26, perhaps with a build number. */
function dateOf(version: string): number | undefined {
  const [, year, month, day] = /^(\d{4})\.(\d\d?)\.(\d\d?)/.exec(version) ?? [];
  return year ? Date.UTC(Number(year), Number(month) - 1, Number(day)) : undefined;
}

function isAtLeast(version: string, least: string): boolean {
  const date = dateOf(version);
  return date !== undefined && date >= (dateOf(least) ?? Number.POSITIVE_INFINITY);
}

function ageDays(version: string, nowMs: number): number | undefined {
  const date = dateOf(version);
  return date === undefined ? undefined : Math.floor((nowMs - date) / 86_400_000);
}
