import { randomUUID } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Config } from '../config.ts';
import { defaultModelIds } from '../model/model-store.ts';
import type { Clock } from '../platform/clock.ts';
import { onlyRow } from '../platform/database.ts';
import { type Foundation, openFoundation, secretBoxOf } from '../service/foundation.ts';
import { lazyEgress } from '../service/lazy-egress.ts';
import { openStorage } from '../service/processing.ts';
import { openModelStore } from '../service/speech.ts';
import { workKey } from '../storage/object-key.ts';
import { commandContext, print } from './command-context.ts';
import { programFindings } from './doctor-programs.ts';
import type { Finding, Verdict } from './finding.ts';

const nodeMajorMin = 24;
const postgresVersionMin = 150_000;
const diskBytesMin = 2_000_000_000;
const marks: Record<Verdict, string> = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' };

/** Looks at everything Longhand needs; resolves with false when something must be mended. */
export async function doctor(options: { json?: boolean }): Promise<boolean> {
  const context = commandContext();
  const { config, clock } = context;
  const findings = [
    nodeFinding(),
    ...(await programFindings(config, clock)),
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
