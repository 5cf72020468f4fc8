/** The lines of `longhand doctor` about yt-dlp and the sandbox, which jobs can do without. */
import type { Config } from '../config.ts';
import { MediaFailure } from '../media/media-failure.ts';
import { PageProgram, unconfinedVersionMin } from '../media/page/page-program.ts';
import type { Clock } from '../platform/clock.ts';
import { findSandbox, type NoSandbox } from '../platform/process/find-sandbox.ts';
import type { Sandbox } from '../platform/process/sandbox.ts';
import { runProcess } from '../platform/process/subprocess.ts';
import type { Finding } from '../service/check.ts';

const ytdlpDaysMax = 120;
const programTimeoutMs = 10_000;
const outputBytesMax = 65_536;

export async function programFindings(config: Config, clock: Clock): Promise<Finding[]> {
  const found = await findSandbox({ hidden: [config.dataDir], signal: clock.timeout(programTimeoutMs) });
  const sandbox = 'command' in found ? found : undefined;
  return [sandboxFinding(found), await ytdlpFinding(config, sandbox, clock)];
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

/** What a supporter asks for first. */
export async function withVersion(finding: Finding, clock: Clock): Promise<Finding> {
  if (finding.verdict !== 'ok') return finding;
  const signal = clock.timeout(programTimeoutMs);
  const run = await runProcess({ command: finding.text, args: ['-version'], signal, outputBytesMax });
  const [line = ''] = run.stdout.toString('utf8').split('\n');
  return { ...finding, text: `${line.replace(/ Copyright.*/, '').trim()} (${finding.text})` };
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
