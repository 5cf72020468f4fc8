import { randomUUID } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Config } from '../config.ts';
import { defaultModelIds } from '../model/model-store.ts';
import type { Clock } from '../platform/clock.ts';
import { onlyRow } from '../platform/database.ts';
import { runProcess } from '../platform/subprocess.ts';
import { type Foundation, openFoundation, secretBoxOf } from '../service/foundation.ts';
import { lazyEgress } from '../service/lazy-egress.ts';
import { openStorage } from '../service/processing.ts';
import { openModelStore } from '../service/speech.ts';
import { workKey } from '../storage/object-key.ts';
import { commandContext, print } from './command-context.ts';

type Verdict = 'ok' | 'warning' | 'problem';

interface Finding {
  name: string;
  verdict: Verdict;
  /** What is there, or what to do. */
  text: string;
}

const nodeMajorMin = 24;
const postgresVersionMin = 150_000;
const diskBytesMin = 2_000_000_000;
const ytdlpDaysMax = 120;
const programTimeoutMs = 10_000;
const marks: Record<Verdict, string> = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' };

/** Looks at everything Longhand needs; resolves with false when something must be mended. */
export async function doctor(options: { json?: boolean }): Promise<boolean> {
  const context = commandContext();
  const { config, clock } = context;
  const findings = [
    nodeFinding(),
    await programFinding(clock, 'ffmpeg', config.programs.ffmpeg),
    await programFinding(clock, 'ffprobe', config.programs.ffprobe),
    await ytdlpFinding(config, clock),
    await modelsFinding(config, clock),
    await diskFinding(config),
    ...(await databaseFindings(config, () => openFoundation(config, clock, context.logger))),
  ];
  const isSound = findings.every(({ verdict }) => verdict !== 'problem');
  print({ ok: isSound, checks: findings }, options, () =>
    findings.map(({ name, verdict, text }) => `${marks[verdict]} ${name.padEnd(10)} ${text}`),
  );
  return isSound;
}

function nodeFinding(): Finding {
  const isRecent = Number(process.versions.node.split('.')[0]) >= nodeMajorMin;
  return isRecent
    ? { name: 'node', verdict: 'ok', text: process.versions.node }
    : {
        name: 'node',
        verdict: 'problem',
        text: `${process.versions.node} is too old: run ./setup, or install Node ${nodeMajorMin}.`,
      };
}

async function versionOf(clock: Clock, command: string, flag: string): Promise<string | undefined> {
  try {
    const signal = clock.timeout(programTimeoutMs);
    const { code, stdout } = await runProcess({ command, args: [flag], signal, outputBytesMax: 65_536 });
    return code === 0 ? stdout.toString('utf8').split('\n')[0]?.trim() : undefined;
  } catch {
    return undefined;
  }
}

async function programFinding(clock: Clock, name: string, command: string): Promise<Finding> {
  const version = await versionOf(clock, command, '-version');
  if (version) return { name, verdict: 'ok', text: version.replace(/ Copyright.*/, '') };
  const setting = `LONGHAND_${name.toUpperCase()}`;
  return {
    name,
    verdict: 'problem',
    text: `"${command}" does not run: run ./setup, or set ${setting} to its path.`,
  };
}

async function ytdlpFinding({ programs }: Config, clock: Clock): Promise<Finding> {
  const name = 'yt-dlp';
  const version = await versionOf(clock, programs.ytdlp, '--version');
  if (!version) {
    return {
      name,
      verdict: 'warning',
      text: 'not found: links to video pages fail, all else works. Install yt-dlp, or set LONGHAND_YTDLP to its path.',
    };
  }
  const releasedAt = Date.parse(version.replace(/^(\d{4})\.(\d{1,2})\.(\d{1,2}).*/, '$1-$2-$3'));
  const days = Math.floor((clock.now() - releasedAt) / 86_400_000);
  if (Number.isNaN(days) || days <= ytdlpDaysMax) return { name, verdict: 'ok', text: version };
  return {
    name,
    verdict: 'warning',
    text: `${version} is ${days} days old and video sites change: install a newer one and set LONGHAND_YTDLP to its path.`,
  };
}

async function modelsFinding(config: Config, clock: Clock): Promise<Finding> {
  const store = await openModelStore({ config }, lazyEgress(config, clock));
  const wanted = defaultModelIds();
  const installed = await Promise.all(wanted.map((id) => store.installed(id)));
  const missing = wanted.filter((_id, index) => !installed[index]);
  return missing.length === 0
    ? { name: 'models', verdict: 'ok', text: wanted.join(', ') }
    : {
        name: 'models',
        verdict: 'problem',
        text: `${missing.join(', ')} missing: run "longhand models install --default".`,
      };
}

async function diskFinding({ dataDir }: Config): Promise<Finding> {
  const name = 'disk';
  try {
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    const text = `${(free / 1e9).toFixed(1)} GB free at ${dataDir}`;
    return free >= diskBytesMin
      ? { name, verdict: 'ok', text }
      : { name, verdict: 'problem', text: `${text}: make room, or move LONGHAND_DATA_DIR.` };
  } catch {
    return { name, verdict: 'ok', text: `${dataDir} will be made at the first start` };
  }
}

async function databaseFindings(config: Config, open: () => Promise<Foundation>): Promise<Finding[]> {
  let foundation: Foundation;
  try {
    foundation = await open();
  } catch (error) {
    const advice = config.databaseUrl
      ? 'check LONGHAND_DATABASE_URL and that the server runs'
      : `look at ${config.dataDir}`;
    return [{ name: 'database', verdict: 'problem', text: `${(error as Error).message}: ${advice}.` }];
  }
  try {
    return [
      await versionFinding(foundation),
      await secretFinding(foundation),
      await storageFinding(foundation),
    ];
  } finally {
    await foundation.close();
  }
}

async function versionFinding({ db, isEmbedded }: Foundation): Promise<Finding> {
  const rows = await db.query<{ number: string; text: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as text`,
  );
  const { number, text } = onlyRow(rows);
  const name = 'database';
  if (Number(number) < postgresVersionMin)
    return { name, verdict: 'problem', text: `PostgreSQL ${text} is too old: use 15 or newer.` };
  return { name, verdict: 'ok', text: `PostgreSQL ${text}${isEmbedded ? ', embedded' : ''}` };
}

async function secretFinding(foundation: Foundation): Promise<Finding> {
  const box = await secretBoxOf(foundation);
  return box
    ? { name: 'secret key', verdict: 'ok', text: 'webhook secrets can be sealed' }
    : {
        name: 'secret key',
        verdict: 'warning',
        text: 'none: webhooks cannot be subscribed to. Set LONGHAND_SECRET_KEY to 32 random bytes in base64.',
      };
}

/** A small object there and back. */
async function storageFinding(foundation: Foundation): Promise<Finding> {
  const storage = await openStorage(foundation);
  const store = storage.stores.current;
  const name = 'storage';
  const key = workKey(randomUUID(), 'doctor');
  try {
    await store.write(key, Buffer.from('longhand'));
    const back = await buffer(await store.read(key));
    await store.delete(key);
    const isSame = back.toString() === 'longhand';
    return {
      name,
      verdict: isSame ? 'ok' : 'problem',
      text: isSame
        ? `${store.id}: an object went there and back`
        : `${store.id} gave back other bytes than were stored.`,
    };
  } catch (error) {
    return {
      name,
      verdict: 'problem',
      text: `${store.id}: ${(error as Error).message}. Check the LONGHAND_STORAGE and LONGHAND_S3 settings.`,
    };
  } finally {
    await storage.close();
  }
}
