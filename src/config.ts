/** The only reader of the environment. */
import { readFileSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { builtInPlans, leastGenerousPlan, type PlanTable, parsePlanTable } from './account/plan.ts';
import { type OptionalProtocol, type SettingName, type Settings, settingSchema } from './config-schema.ts';
import type { EgressAllow } from './egress/url.ts';
import { isAnyAddress } from './http/public-url.ts';
import { programOnPath } from './platform/process/program.ts';
import { StartError } from './platform/start-error.ts';
import type { Accuracy } from './speech/engine.ts';
import type { RetrySchedule } from './webhook/retry-schedule.ts';

export interface S3Settings {
  endpoint: string | undefined;
  region: string;
  bucket: string;
  /** Without them the role of the machine, the container or the service account. */
  accessKeyId: string | undefined;
  secretAccessKey: string | undefined;
  sessionToken: string | undefined;
  forcePathStyle: boolean;
}

export interface ClientSettings {
  server: string | undefined;
  key: string | undefined;
  /** Where this user's saved login is, and where unfinished work is remembered. */
  configDir: string;
  stateDir: string;
}

export interface Config {
  host: string;
  port: number;
  tls: { certFile: string; keyFile: string } | undefined;
  publicUrl: string | undefined;
  dataDir: string;
  databaseUrl: string | undefined;
  /** The server itself, where `databaseUrl` leads to a pooler. */
  databaseDirectUrl: string | undefined;
  /** Of this process at most, and one more that listens. */
  databaseConnectionsMax: number | undefined;
  /** Whether a start brings the schema up to date; otherwise `longhand migrate` alone does. */
  migrate: boolean;
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
  /** Of languages other than English; undefined: as the models and the memory of this machine allow. */
  accuracy: Accuracy | undefined;
  /** Whether numbers that were recognised as words are written in digits. */
  numbers: 'digits' | 'verbatim';
  /** yt-dlp may be at several places; the first that is there counts. */
  programs: { ffmpeg: string; ffprobe: string; ytdlp: readonly string[] };
  /** Where `longhand tools install` puts programs. */
  toolsDir: string;
  retentionDays: number;
  /** Bytes of the data directory's disk that are given to nobody; by its size unless set. */
  diskReserveBytes: number | undefined;
  /** Sign-in of the web product with a company's own identity. */
  oidc: { issuer: string; clientId: string; clientSecret: string | undefined; plan: string } | undefined;
  /** Which ways in beside the REST API are open. */
  protocols: ReadonlySet<OptionalProtocol>;
  /** How long a call in OpenAI's form is held open for its answer. */
  openAiWaitSeconds: number;
  /** Whether GET /metrics answers on the listener. */
  metrics: boolean;
  /** Where metrics and health answer besides, without a key: a worker has no other listener. */
  metricsListen: { host: string; port: number } | undefined;
  /** The operator's OpenTelemetry collector; no spans without. */
  tracesEndpoint: string | undefined;
  rateLimits: { requestsPerMinute: number; createsPerMinute: number };
  /** For commands that work on a server elsewhere. */
  client: ClientSettings;
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
  const parsed = settingSchema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new StartError(`The setting ${issue?.path.join('.')} ${issue?.message}.`);
  }
  const settings = parsed.data;
  const toolsDir = resolve(settings.LONGHAND_DATA_DIR, 'tools');
  const plans = plansOf(settings.LONGHAND_PLANS);
  return {
    host: settings.LONGHAND_HOST,
    port: settings.LONGHAND_PORT,
    tls: tlsOf(settings),
    publicUrl: settings.LONGHAND_PUBLIC_URL?.replace(/\/+$/, ''),
    dataDir: resolve(settings.LONGHAND_DATA_DIR),
    databaseUrl: settings.LONGHAND_DATABASE_URL,
    databaseDirectUrl: settings.LONGHAND_DATABASE_DIRECT_URL,
    databaseConnectionsMax: settings.LONGHAND_DATABASE_CONNECTIONS,
    migrate: settings.LONGHAND_MIGRATE,
    storage: settings.LONGHAND_STORAGE,
    s3: s3Of(settings),
    secretKeys: settings.LONGHAND_SECRET_KEY,
    apiKey: settings.LONGHAND_API_KEY,
    role: settings.LONGHAND_ROLE,
    workers: settings.LONGHAND_WORKERS ?? availableParallelism(),
    plans,
    multipartThresholdBytes: settings.LONGHAND_MULTIPART_THRESHOLD,
    webhookSchedule: settings.LONGHAND_WEBHOOK_SCHEDULE,
    webhookLogDays: settings.LONGHAND_WEBHOOK_LOG_DAYS,
    egressAllow: settings.LONGHAND_EGRESS_ALLOW,
    engine: engineOf(settings),
    accuracy: settings.LONGHAND_ACCURACY,
    numbers: settings.LONGHAND_NUMBERS,
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
    oidc: oidcOf(settings, plans),
    protocols: settings.LONGHAND_DOORS,
    openAiWaitSeconds: settings.LONGHAND_OPENAI_WAIT,
    metrics: settings.LONGHAND_METRICS,
    metricsListen: settings.LONGHAND_METRICS_LISTEN,
    tracesEndpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
    rateLimits: {
      requestsPerMinute: settings.LONGHAND_RATE_REQUESTS,
      createsPerMinute: settings.LONGHAND_RATE_CREATES,
    },
    client: {
      server: settings.LONGHAND_SERVER,
      key: settings.LONGHAND_KEY,
      configDir: userDirectory(given.XDG_CONFIG_HOME, '.config'),
      stateDir: userDirectory(given.XDG_STATE_HOME, '.local/state'),
    },
    logLevel: settings.LONGHAND_LOG_LEVEL,
    redacted: redactedSettings(given),
    warnings: warningsFor(settings, given),
  };
}

/** As the XDG base directories have it: a relative path is ignored. */
function userDirectory(given: string | undefined, otherwise: string): string {
  const base = given && isAbsolute(given) ? given : join(homedir(), otherwise);
  return join(base, 'longhand');
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

function oidcOf(settings: Settings, plans: PlanTable): Config['oidc'] {
  const { LONGHAND_OIDC_ISSUER: issuer, LONGHAND_OIDC_CLIENT_ID: clientId } = settings;
  if (!issuer && !clientId) return undefined;
  if (!issuer || !clientId)
    throw new StartError('LONGHAND_OIDC_ISSUER and LONGHAND_OIDC_CLIENT_ID must be set together.');
  const plan = settings.LONGHAND_OIDC_PLAN ?? leastGenerousPlan(plans).name;
  if (!plans.has(plan))
    throw new StartError(`LONGHAND_OIDC_PLAN names no plan. Plans: ${[...plans.keys()].join(', ')}.`);
  return { issuer, clientId, clientSecret: settings.LONGHAND_OIDC_CLIENT_SECRET, plan };
}

/** The store is usable as soon as it is described, also when new uploads go to the disk: older objects stay readable. */
function s3Of(settings: Settings): S3Settings | undefined {
  const bucket = settings.LONGHAND_S3_BUCKET;
  const accessKeyId = settings.LONGHAND_S3_ACCESS_KEY_ID;
  const secretAccessKey = settings.LONGHAND_S3_SECRET_ACCESS_KEY;
  const sessionToken = settings.LONGHAND_S3_SESSION_TOKEN;
  if (!bucket) {
    if (settings.LONGHAND_STORAGE !== 's3') return undefined;
    throw new StartError('LONGHAND_STORAGE=s3 needs LONGHAND_S3_BUCKET.');
  }
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined) || (sessionToken && !accessKeyId)) {
    throw new StartError(
      'LONGHAND_S3_ACCESS_KEY_ID and LONGHAND_S3_SECRET_ACCESS_KEY must be set together, and LONGHAND_S3_SESSION_TOKEN only with them; without any of them the role of the machine is used.',
    );
  }
  return {
    endpoint: settings.LONGHAND_S3_ENDPOINT,
    region: settings.LONGHAND_S3_REGION,
    bucket,
    accessKeyId,
    secretAccessKey,
    sessionToken,
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
  const names = Object.keys(settingSchema.shape) as SettingName[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = given[name];
      if (text === undefined) return [];
      const isSecret =
        (settingSchema.shape[name].meta() as { secret?: boolean } | undefined)?.secret === true;
      return [[name, isSecret ? '[redacted]' : text]];
    }),
  );
}

function warningsFor(settings: Settings, given: Record<string, string | undefined>): string[] {
  const warnings: string[] = [];
  for (const name of Object.keys(given)) {
    if (name.startsWith('LONGHAND_') && !(name in settingSchema.shape)) {
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
