/** Speech processes are killed again and again while a file of an hour is recognised. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { childProcesses } from '../../test/support/child-processes.ts';
import type { Hooks } from '../../test/support/cleanup.ts';
import { temporaryDataDir } from '../../test/support/service.ts';
import type { BenchmarkRow } from '../run.ts';
import { type AttackStage, clip, createJob, type Owner, openStage, withCleanup } from './stage.ts';

const kills = 30;
const clips = ['austen-870', 'austen-880', 'austen-930'];
/** Each clip and the pause after it. */
const clipSeconds = 12;
const fileSeconds = 3_600;
const jobEndsWithinMs = 20 * 60_000;
const delayMsMax = 1_500;
const pollMs = 250;
const processName = 'speech-process-main';

export function killAttacks(): Promise<BenchmarkRow[]> {
  return withCleanup(async (hooks) => {
    const file = await hourOfSpeech(hooks);
    const stage = await openStage(hooks, { settings: { LONGHAND_WORKERS: '2' } });
    const owner = await stage.owner('pro');
    const upload = await owner.api.uploadFile(file);
    const undisturbed = await ended(owner, await createJob(owner, { upload }));
    const job = await createJob(owner, { upload });
    const killed = await killDuring(stage, job);
    const disturbed = await ended(owner, job);
    const isSame = disturbed.status === 'completed' && disturbed.text === undisturbed.text;
    const words = (undisturbed.text ?? '').split(' ').length;
    return [
      {
        figure: `kill −9 of a speech process ${killed} times in a file of an hour (${words.toLocaleString('en')} words)`,
        value: `${disturbed.status}, ${isSame ? 'the same text' : 'another text'}`,
        bar: `${kills} kills, completed, the same text`,
        passed: isSame && words > 100 && killed === kills,
      },
    ];
  });
}

/** Clips with pauses between them, again and again: some twelve minutes of speech. */
async function hourOfSpeech(hooks: Hooks): Promise<string> {
  const directory = await temporaryDataDir(hooks);
  const [round, hour] = [join(directory, 'round.flac'), join(directory, 'hour.flac')];
  const padded = clips
    .map((_, i) => `[${i}:a]aresample=16000,apad=whole_dur=${clipSeconds}[p${i}]`)
    .join(';');
  const joined = `${clips.map((_, i) => `[p${i}]`).join('')}concat=n=${clips.length}:v=0:a=1`;
  const inputs = clips.flatMap((name) => ['-i', clip(name)]);
  const quiet = ['-v', 'error', '-nostdin', '-y'];
  const run = promisify(execFile);
  await run('ffmpeg', [...quiet, ...inputs, '-filter_complex', `${padded};${joined}`, '-ac', '1', round]);
  const times = Math.ceil(fileSeconds / (clips.length * clipSeconds));
  const length = ['-t', String(fileSeconds)];
  await run('ffmpeg', [...quiet, '-stream_loop', String(times), '-i', round, ...length, hour]);
  return hour;
}

async function ended({ api }: Owner, id: string): Promise<{ status: string; text: string | null }> {
  return (await api.ended(id, jobEndsWithinMs)).body.data;
}

/**
 * The first while voices are looked for, the others spread over the file: what kills four processes in the same chunk
 * is by design given up, and thirty kills within a few chunks would be that.
 */
async function killDuring({ rows, service }: AttackStage, job: string): Promise<number> {
  const deadline = Date.now() + jobEndsWithinMs;
  let killed = 0;
  while (killed < kills && Date.now() < deadline) {
    const [row] = await rows<{ status: string; total: number | null; done: number }>(
      `select status, chunks_total as total, coalesce(chunks_total - chunks_left, 0) as done
       from transcription where id = $1`,
      [job],
    );
    if (row?.status !== 'processing') break;
    if (!isDue(killed, row)) {
      await delay(pollMs);
      continue;
    }
    await delay(Math.random() * delayMsMax);
    const [first, second] = childProcesses(service.process.pid ?? Number.NaN, processName);
    const victim = killed % 2 === 0 ? first : (second ?? first);
    if (victim === undefined) continue;
    process.kill(victim, 'SIGKILL');
    killed += 1;
  }
  return killed;
}

function isDue(killed: number, { total, done }: { total: number | null; done: number }): boolean {
  if (killed === 0) return true;
  return total !== null && done >= ((killed - 1) / kills) * total;
}
