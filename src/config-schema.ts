/** Every setting by its name: what it may be, and what it is when not given. A wrong one becomes one sentence. */
import { z } from 'zod';
import { hasApiKeyShape } from './account/api-key.ts';
import { nothingAllowed, parseEgressAllow } from './egress/url.ts';
import { parseSecretKeys } from './platform/secret-box.ts';
import { accuracies } from './speech/engine.ts';
import { defaultScheduleSetting, parseRetrySchedule } from './webhook/retry-schedule.ts';

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
const databaseUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a URL such as postgres://user:password@host/database',
});
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

/** `host:port`, an IPv6 address in brackets. */
function parseListenAddress(text: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-f:]+)\]|([^:\s]+)):([0-9]{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65535) throw new Error('must be host:port, such as 0.0.0.0:9464');
  return { host: match[1] ?? match[2] ?? '', port };
}

const protocolNames = ['web', 'mcp', 'openai'] as const;
/** What LONGHAND_DOORS may name: protocols beside the REST API. */
export type OptionalProtocol = (typeof protocolNames)[number];

function parseProtocols(text: string): ReadonlySet<OptionalProtocol> {
  const names = text.split(',').map((name) => name.trim());
  const isProtocol = (name: string): name is OptionalProtocol =>
    (protocolNames as readonly string[]).includes(name);
  if (text.trim() === 'none') return new Set();
  if (!names.every(isProtocol))
    throw new Error(`must be some of ${protocolNames.join(', ')}, with commas, or none`);
  return new Set(names);
}

/** Settings whose value is never printed. */
const secret = { secret: true };

export const settingSchema = z.object({
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
  LONGHAND_DATABASE_URL: databaseUrl.optional().meta(secret),
  LONGHAND_DATABASE_DIRECT_URL: databaseUrl.optional().meta(secret),
  LONGHAND_DATABASE_CONNECTIONS: wholeNumber(2, 1_000).optional(),
  LONGHAND_MIGRATE: yesOrNo.default(true),
  LONGHAND_STORAGE: z.enum(['local', 's3'], 'must be local or s3').default('local'),
  LONGHAND_S3_ENDPOINT: webUrl('must be the http or https URL of the S3 store').optional(),
  LONGHAND_S3_REGION: z.string().default('us-east-1'),
  LONGHAND_S3_BUCKET: z.string().optional(),
  LONGHAND_S3_ACCESS_KEY_ID: z.string().optional(),
  LONGHAND_S3_SECRET_ACCESS_KEY: z.string().optional().meta(secret),
  LONGHAND_S3_SESSION_TOKEN: z.string().optional().meta(secret),
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
  LONGHAND_ACCURACY: z.enum(accuracies).optional(),
  LONGHAND_NUMBERS: z.enum(['digits', 'verbatim']).default('digits'),
  LONGHAND_ENGINE_URL: webUrl('must be the http or https URL of a transcription endpoint').optional(),
  LONGHAND_ENGINE_KEY: z.string().optional().meta(secret),
  LONGHAND_ENGINE_MODEL: z.string().optional(),
  LONGHAND_FFMPEG: z.string().optional(),
  LONGHAND_FFPROBE: z.string().optional(),
  LONGHAND_YTDLP: z.string().optional(),
  LONGHAND_DISK_RESERVE: wholeNumber(0, 1024 ** 5).optional(),
  LONGHAND_RETENTION_DAYS: wholeNumber(0, 36_500).default(30),
  LONGHAND_DOORS: readBy(parseProtocols).prefault(protocolNames.join(',')),
  LONGHAND_OIDC_ISSUER: webUrl('must be the https URL of an OpenID Connect issuer').optional(),
  LONGHAND_OIDC_CLIENT_ID: z.string().optional(),
  LONGHAND_OIDC_CLIENT_SECRET: z.string().optional().meta(secret),
  LONGHAND_OIDC_PLAN: z.string().optional(),
  LONGHAND_OPENAI_WAIT: wholeNumber(1, 3_600).default(280),
  LONGHAND_METRICS: yesOrNo.default(false),
  LONGHAND_METRICS_LISTEN: readBy(parseListenAddress).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: webUrl('must be the http or https URL of an OTLP collector').optional(),
  LONGHAND_SERVER: webUrl('must be the http or https URL of a Longhand server').optional(),
  LONGHAND_KEY: z.string().optional().meta(secret),
  LONGHAND_RATE_REQUESTS: wholeNumber(1, 1_000_000).default(600),
  LONGHAND_RATE_CREATES: wholeNumber(1, 1_000_000).default(60),
  LONGHAND_LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    )
    .default('info'),
});

export type Settings = z.infer<typeof settingSchema>;
export type SettingName = keyof Settings;
