/** The lines of `longhand doctor` about the programs that read media, and the sandbox that they run in. */
import type { Config } from '../config.ts';
import { MediaFailure } from '../media/media-failure.ts';
import { PageProgram, unconfinedVersionMin } from '../media/page-program.ts';
import type { Clock } from '../platform/clock.ts';
import { findSandbox, type NoSandbox } from '../platform/find-sandbox.ts';
import { findProgram } from '../platform/program.ts';
import type { Sandbox } from '../platform/sandbox.ts';
import { runProcess } from '../platform/subprocess.ts';
import type { Finding } from './finding.ts';

const ytdlpDaysMax = 120;
const programTimeoutMs = 10_000;
const outputBytesMax = 65_536;

export async function programFindings(config: Config, clock: Clock): Promise<Finding[]> {
  const found = await findSandbox({ hidden: [config.dataDir], signal: clock.timeout(programTimeoutMs) });
  const sandbox = 'command' in found ? found : undefined;
  return [
    sandboxFinding(found),
    await programFinding('ffmpeg', config.programs.ffmpeg, sandbox, clock),
    await programFinding('ffprobe', config.programs.ffprobe, sandbox, clock),
    await ytdlpFinding(config, sandbox, clock),
  ];
}

function sandboxFinding(found: Sandbox | NoSandbox): Finding {
  const name = 'sandbox';
  if ('command' in found) return { name, verdict: 'ok', text: `bubblewrap ${found.version}` };
  const { missing, reason } = found;
  const advice =
    missing === 'bubblewrap'
      ? 'run ./setup, or install the package bubblewrap'
      : 'the chapter "The sandbox" of docs/operating.md tells what to allow';
  const text = `${reason}: ${advice}. Until then ffmpeg runs unconfined, and links to video pages are refused unless yt-dlp is ${unconfinedVersionMin} or newer.`;
  return { name, verdict: 'warning', text };
}

/** As a job runs it: a program that starts outside of the sandbox only is of no use. */
async function programFinding(
  name: string,
  command: string,
  sandbox: Sandbox | undefined,
  clock: Clock,
): Promise<Finding> {
  const program = await findProgram([command]);
  const outside = program && (await firstLine(program.path, clock));
  if (!program || !outside) {
    const setting = `LONGHAND_${name.toUpperCase()}`;
    const text = `"${command}" does not run: run ./setup, or set ${setting} to its path.`;
    return { name, verdict: 'problem', text };
  }
  if (sandbox && !(await firstLine(program.path, clock, { sandbox, program: program.files }))) {
    const text = `${program.path} does not run inside the sandbox: its libraries must be below /usr, or built into it.`;
    return { name, verdict: 'problem', text };
  }
  return { name, verdict: 'ok', text: outside.replace(/ Copyright.*/, '') };
}

async function firstLine(
  command: string,
  clock: Clock,
  confinement?: { sandbox: Sandbox; program: readonly string[] },
): Promise<string | undefined> {
  const signal = clock.timeout(programTimeoutMs);
  const spec = { command, args: ['-version'], signal, outputBytesMax };
  const run = await runProcess(confinement ? { ...spec, confinement } : spec).catch(() => undefined);
  return run?.code === 0 ? run.stdout.toString('utf8').split('\n')[0]?.trim() : undefined;
}

async function ytdlpFinding(
  { programs }: Config,
  sandbox: Sandbox | undefined,
  clock: Clock,
): Promise<Finding> {
  const name = 'yt-dlp';
  const install = '"longhand tools install yt-dlp" brings the current one';
  try {
    const { path, version, ageDays } = await new PageProgram({
      ytdlp: programs.ytdlp,
      sandbox,
      clock,
    }).version();
    if (ageDays === undefined || ageDays <= ytdlpDaysMax)
      return { name, verdict: 'ok', text: `${version} (${path})` };
    const text = `${version} (${path}) is ${ageDays} days old and video sites change: ${install}.`;
    return { name, verdict: 'warning', text };
  } catch (error) {
    if (!(error instanceof MediaFailure)) throw error;
    const effect = 'links to video pages fail, all else works';
    return { name, verdict: 'warning', text: `${error.reason}: ${effect}. ${install}.` };
  }
}
