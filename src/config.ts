/** The only reader of the environment. One schema; a wrong setting becomes one sentence. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { hasApiKeyShape } from './account/api-key.ts';
import { builtInPlans, type PlanTable, parsePlanTable } from './account/plan.ts';
import { type EgressAllow, nothingAllowed, parseEgressAllow } from './egress/url.ts';
import { isAnyAddress } from './http/public-url.ts';
import { programOnPath } from './platform/program.ts';
import { parseSecretKeys } from './platform/secret-box.ts';
import { StartError } from './platform/start-error.ts';
import { defaultScheduleSetting, parseRetrySchedule, type RetrySchedule } from './webhook/retry-schedule.ts';

const port = 'must be a port number from 0 to 65535';
const wholeNumber = (least: number, most: number) => {
  const words = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^[0-9]{1,15}$/, words)
    .transform(Number)
    .pipe(z.number().min(least, words).max(most, words));
};
const yesOrNo = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((text) => text === 'true' || text === '1');
const webUrl = (words: string) => z.url({ protocol: /^https?$/, error: words });
/** Text that a part of Longhand reads itself; its parser throws with words for the operator. */
const readBy = <Value>(parse: (text: string) => Value) =>
  z.string().transform((text, context) => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

/** Settings whose value is never printed. */
const secret = { secret: true };

const schema = z.object({
  LONGHAND_HOST: z.string().default('127.0.0.1'),
  LONGHAND_PORT: z
    .string()
    .regex(/^[0-9]{1,5}$/, port)
    .transform(Number)
    .pipe(z.number().max(65535, port))
    .default(8080),
  LONGHAND_TLS_CERT: z.string().optional(),
  LONGHAND_TLS_KEY: z.string().optional(),
  LONGHAND_PUBLIC_URL: webUrl('must be an http or https URL').optional(),
  LONGHAND_DATA_DIR: z.string().default('data'),
  LONGHAND_DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'must be a URL such as postgres://user:password@host/database',
    })
    .optional()
    .meta(secret),
  LONGHAND_STORAGE: z.enum(['local', 's3'], 'must be local or s3').default('local'),
  LONGHAND_S3_ENDPOINT: webUrl('must be the http or https URL of the S3 store').optional(),
  LONGHAND_S3_REGION: z.string().default('us-east-1'),
  LONGHAND_S3_BUCKET: z.string().optional(),
  LONGHAND_S3_ACCESS_KEY_ID: z.string().optional(),
  LONGHAND_S3_SECRET_ACCESS_KEY: z.string().optional().meta(secret),
  LONGHAND_S3_FORCE_PATH_STYLE: yesOrNo.default(false),
  LONGHAND_SECRET_KEY: readBy(parseSecretKeys).optional().meta(secret),
  LONGHAND_API_KEY: z
    .string()
    .refine(hasApiKeyShape, 'must be lh_ and 36 letters or digits, as "longhand key create" makes them')
    .optional()
    .meta(secret),
  LONGHAND_ROLE: z.enum(['all', 'api', 'worker'], 'must be all, api or worker').default('all'),
  LONGHAND_WORKERS: wholeNumber(1, 256).optional(),
  LONGHAND_PLANS: z.string().optional(),
  LONGHAND_MULTIPART_THRESHOLD: wholeNumber(1, 5 * 1024 ** 3).default(100 * 1024 ** 2),
  LONGHAND_WEBHOOK_SCHEDULE: readBy(parseRetrySchedule).prefault(defaultScheduleSetting),
  LONGHAND_WEBHOOK_LOG_DAYS: wholeNumber(1, 3_650).default(30),
  LONGHAND_EGRESS_ALLOW: readBy(parseEgressAllow).default(nothingAllowed),
  LONGHAND_ENGINE: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,99}$/, 'must be auto, remote, or the name of a model such as whisper-base')
    .default('auto'),
  LONGHAND_ENGINE_URL: webUrl('must be the http or https URL of a transcription endpoint').optional(),
  LONGHAND_ENGINE_KEY: z.string().optional().meta(secret),
  LONGHAND_ENGINE_MODEL: z.string().optional(),
  LONGHAND_FFMPEG: z.string().optional(),
  LONGHAND_FFPROBE: z.string().optional(),
  LONGHAND_YTDLP: z.string().optional(),
  LONGHAND_DISK_RESERVE: wholeNumber(0, 1024 ** 5).optional(),
  LONGHAND_RETENTION_DAYS: wholeNumber(0, 36_500).default(30),
  LONGHAND_METRICS: yesOrNo.default(false),
  LONGHAND_RATE_REQUESTS: wholeNumber(1, 1_000_000).default(600),
  LONGHAND_RATE_CREATES: wholeNumber(1, 1_000_000).default(60),
  LONGHAND_LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    )
    .default('info'),
});

type Settings = z.infer<typeof schema>;
type SettingName = keyof Settings;

export interface S3Settings {
  endpoint: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  forcePathStyle: boolean;
}

export interface Config {
  host: string;
  port: number;
  tls: { certFile: string; keyFile: string } | undefined;
  publicUrl: string | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  storage: 'local' | 's3';
  s3: S3Settings | undefined;
  secretKeys: Buffer[] | undefined;
  apiKey: string | undefined;
  role: 'all' | 'api' | 'worker';
  workers: number;
  plans: PlanTable;
  multipartThresholdBytes: number;
  webhookSchedule: RetrySchedule;
  webhookLogDays: number;
  egressAllow: EgressAllow;
  engine: { name: string; url: string | undefined; key: string | undefined; model: string | undefined };
  /** yt-dlp may be at several places; the first that is there counts. */
  programs: { ffmpeg: string; ffprobe: string; ytdlp: readonly string[] };
  /** Where `longhand tools install` puts programs. */
  toolsDir: string;
  retentionDays: number;
  /** Bytes of the data directory's disk that are given to nobody; by its size unless set. */
  diskReserveBytes: number | undefined;
  /** Whether GET /metrics answers on the listener. */
  metrics: boolean;
  rateLimits: { requestsPerMinute: number; createsPerMinute: number };
  logLevel: string;
  /** Every setting as it may be shown: secrets are masked. */
  redacted: Record<string, string>;
  /** Sentences for the operator that do not stop the start. */
  warnings: string[];
}

export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  // An empty variable is the same as none.
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, text]) => text !== undefined && text !== ''),
  );
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new StartError(`The setting ${issue?.path.join('.')} ${issue?.message}.`);
  }
  const settings = parsed.data;
  const toolsDir = resolve(settings.LONGHAND_DATA_DIR, 'tools');
  return {
    host: settings.LONGHAND_HOST,
    port: settings.LONGHAND_PORT,
    tls: tlsOf(settings),
    publicUrl: settings.LONGHAND_PUBLIC_URL?.replace(/\/+$/, ''),
    dataDir: resolve(settings.LONGHAND_DATA_DIR),
    databaseUrl: settings.LONGHAND_DATABASE_URL,
    storage: settings.LONGHAND_STORAGE,
    s3: s3Of(settings),
    secretKeys: settings.LONGHAND_SECRET_KEY,
    apiKey: settings.LONGHAND_API_KEY,
    role: settings.LONGHAND_ROLE,
    workers: settings.LONGHAND_WORKERS ?? availableParallelism(),
    plans: plansOf(settings.LONGHAND_PLANS),
    multipartThresholdBytes: settings.LONGHAND_MULTIPART_THRESHOLD,
    webhookSchedule: settings.LONGHAND_WEBHOOK_SCHEDULE,
    webhookLogDays: settings.LONGHAND_WEBHOOK_LOG_DAYS,
    egressAllow: settings.LONGHAND_EGRESS_ALLOW,
    engine: engineOf(settings),
    programs: {
      ffmpeg: settings.LONGHAND_FFMPEG ?? programOnPath('ffmpeg', given.PATH),
      ffprobe: settings.LONGHAND_FFPROBE ?? programOnPath('ffprobe', given.PATH),
      ytdlp: settings.LONGHAND_YTDLP
        ? [settings.LONGHAND_YTDLP]
        : [join(toolsDir, 'yt-dlp'), programOnPath('yt-dlp', given.PATH)],
    },
    toolsDir,
    retentionDays: settings.LONGHAND_RETENTION_DAYS,
    diskReserveBytes: settings.LONGHAND_DISK_RESERVE,
    metrics: settings.LONGHAND_METRICS,
    rateLimits: {
      requestsPerMinute: settings.LONGHAND_RATE_REQUESTS,
      createsPerMinute: settings.LONGHAND_RATE_CREATES,
    },
    logLevel: settings.LONGHAND_LOG_LEVEL,
    redacted: redactedSettings(given),
    warnings: warningsFor(settings, given),
  };
}

function tlsOf({ LONGHAND_TLS_CERT: certFile, LONGHAND_TLS_KEY: keyFile }: Settings): Config['tls'] {
  if (certFile && keyFile) return { certFile, keyFile };
  if (certFile || keyFile)
    throw new StartError('LONGHAND_TLS_CERT and LONGHAND_TLS_KEY must be set together.');
  return undefined;
}

/** An endpoint is meant to be used: to name it is enough. */
function engineOf(settings: Settings): Config['engine'] {
  const { LONGHAND_ENGINE: wanted, LONGHAND_ENGINE_URL: url } = settings;
  const name = wanted === 'auto' && url !== undefined ? 'remote' : wanted;
  if (name === 'remote' && url === undefined)
    throw new StartError('LONGHAND_ENGINE=remote needs LONGHAND_ENGINE_URL, the address of the endpoint.');
  return { name, url, key: settings.LONGHAND_ENGINE_KEY, model: settings.LONGHAND_ENGINE_MODEL };
}

/** The store is usable as soon as it is described, also when new uploads go to the disk: older objects stay readable. */
function s3Of(settings: Settings): S3Settings | undefined {
  const bucket = settings.LONGHAND_S3_BUCKET;
  const accessKeyId = settings.LONGHAND_S3_ACCESS_KEY_ID;
  const secretAccessKey = settings.LONGHAND_S3_SECRET_ACCESS_KEY;
  if (!bucket || !accessKeyId || !secretAccessKey) {
    if (settings.LONGHAND_STORAGE !== 's3') return undefined;
    throw new StartError(
      'LONGHAND_STORAGE=s3 needs LONGHAND_S3_BUCKET, LONGHAND_S3_ACCESS_KEY_ID and LONGHAND_S3_SECRET_ACCESS_KEY.',
    );
  }
  return {
    endpoint: settings.LONGHAND_S3_ENDPOINT,
    region: settings.LONGHAND_S3_REGION,
    bucket,
    accessKeyId,
    secretAccessKey,
    forcePathStyle: settings.LONGHAND_S3_FORCE_PATH_STYLE,
  };
}

function plansOf(file: string | undefined): PlanTable {
  if (!file) return parsePlanTable(builtInPlans);
  try {
    return parsePlanTable(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new StartError(
      `The plan table that LONGHAND_PLANS names cannot be used: ${(error as Error).message}`,
    );
  }
}

function redactedSettings(given: Record<string, string | undefined>): Record<string, string> {
  const names = Object.keys(schema.shape) as SettingName[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = given[name];
      if (text === undefined) return [];
      const isSecret = (schema.shape[name].meta() as { secret?: boolean } | undefined)?.secret === true;
      return [[name, isSecret ? '[redacted]' : text]];
    }),
  );
}

function warningsFor(settings: Settings, given: Record<string, string | undefined>): string[] {
  const warnings: string[] = [];
  for (const name of Object.keys(given)) {
    if (name.startsWith('LONGHAND_') && !(name in schema.shape)) {
      warnings.push(`${name} is not a setting of Longhand and has no effect.`);
    }
  }
  const isLoopback = /^(127\.|::1$|localhost$)/.test(settings.LONGHAND_HOST);
  const isHttps = Boolean(settings.LONGHAND_TLS_CERT) || settings.LONGHAND_PUBLIC_URL?.startsWith('https:');
  if (!isLoopback && !isHttps) {
    warnings.push(
      `Longhand listens on ${settings.LONGHAND_HOST} without TLS: API keys travel in the clear. Set LONGHAND_TLS_CERT and LONGHAND_TLS_KEY, or put it behind a TLS proxy and set LONGHAND_PUBLIC_URL to its https address.`,
    );
  }
  if (settings.LONGHAND_ROLE === 'worker' && !settings.LONGHAND_PUBLIC_URL) {
    warnings.push(
      'LONGHAND_PUBLIC_URL is not set on this worker: the resource_url of its events will name the default address of the API.',
    );
  } else if (isAnyAddress(settings.LONGHAND_HOST) && !settings.LONGHAND_PUBLIC_URL) {
    warnings.push(
      `LONGHAND_PUBLIC_URL is not set and LONGHAND_HOST is ${settings.LONGHAND_HOST}: the resource_url of events will name localhost, where other machines find nothing. Set it to the address at which they reach this service.`,
    );
  }
  if (settings.LONGHAND_EGRESS_ALLOW.entries.length > 0) {
    warnings.push(
      `LONGHAND_EGRESS_ALLOW lets outgoing requests reach ${settings.LONGHAND_EGRESS_ALLOW.entries.join(', ')}. It is meant for development and tests.`,
    );
  }
  return warnings;
}
