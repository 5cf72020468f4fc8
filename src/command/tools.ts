/** `longhand tools`: programs that the service uses, kept current by the operator. */
import { MediaFailure } from '../media/media-failure.ts';
import { PageProgram } from '../media/page/page-program.ts';
import { installedYtdlp, installYtdlp, ToolInstallError } from '../media/page/tool-install.ts';
import { findSandbox } from '../platform/process/find-sandbox.ts';
import { lazyEgress } from '../service/lazy-egress.ts';
import { type CommandContext, commandContext, print, table } from './command-context.ts';
import { UsageError } from './usage-error.ts';

interface Output {
  json?: boolean;
}

const sandboxTrialMs = 5_000;

export async function listTools(options: Output): Promise<void> {
  const context = commandContext();
  const { config } = context;
  const note = await installedYtdlp(config.toolsDir);
  const found = await (await pageProgram(context, config.programs.ytdlp))
    .version()
    .catch((error: unknown) => {
      if (error instanceof MediaFailure) return undefined;
      throw error;
    });
  const tool = {
    name: 'yt-dlp',
    path: found?.path ?? null,
    version: found?.version ?? null,
    age_days: found?.ageDays ?? null,
    installed: note
      ? { version: note.version, sha256: note.sha256, from: note.from, at: note.installedAt }
      : null,
  };
  print({ tools: [tool] }, options, () =>
    table([
      ['NAME', 'USED', 'AGE', 'PATH', 'INSTALLED BY LONGHAND'],
      [
        tool.name,
        tool.version ?? 'none',
        tool.age_days === null ? '' : `${tool.age_days} days`,
        tool.path ?? '',
        note ? `${note.version}, ${note.installedAt.slice(0, 10)}` : 'no',
      ],
    ]),
  );
}

export async function installTool(
  name: string,
  options: Output & { release?: string; from?: string; sha256?: string },
): Promise<void> {
  if (name !== 'yt-dlp') throw new UsageError(`There is no tool "${name}": Longhand can install yt-dlp.`);
  if (options.release !== undefined && !/^\d{4}\.\d\d\.\d\d(\.\d+)?$/.test(options.release))
    throw new UsageError('--release takes a release of yt-dlp such as 2026.10.26.');
  if (options.release !== undefined && options.from !== undefined)
    throw new UsageError('Give either --release or --from: a mirror has one release.');
  if (options.sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(options.sha256))
    throw new UsageError('--sha256 takes the 64 hexadecimal digits of a SHA-256.');
  const context = commandContext();
  const { config, clock } = context;
  const egress = lazyEgress(config, clock);
  const installed = await installYtdlp({
    ...options,
    egress: await egress.open(),
    clock,
    directory: config.toolsDir,
    tryProgram: async (path) => await (await pageProgram(context, [path])).version().catch(doesNotStart),
  });
  print({ name, ...installed }, options, () => [
    `Installed yt-dlp ${installed.version} at ${installed.path}.`,
    ...(config.redacted.LONGHAND_YTDLP === undefined
      ? []
      : [`LONGHAND_YTDLP is set to ${config.redacted.LONGHAND_YTDLP} and still wins.`]),
  ]);
}

function doesNotStart(error: unknown): never {
  if (!(error instanceof MediaFailure)) throw error;
  throw new ToolInstallError(
    `The yt-dlp that was fetched does not start here and was not installed (${error.reason}). It needs Python 3.10 or newer as python3.`,
  );
}

async function pageProgram(
  { config, clock }: CommandContext,
  ytdlp: readonly string[],
): Promise<PageProgram> {
  const found = await findSandbox({ hidden: [config.dataDir], signal: clock.timeout(sandboxTrialMs) });
  return new PageProgram({ ytdlp, sandbox: 'command' in found ? found : undefined, clock });
}
