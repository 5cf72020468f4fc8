import { type DestinationStream, type Logger, pino } from 'pino';
import { build as prettyStream } from 'pino-pretty';

export type { Logger } from 'pino';

export interface LoggerOptions {
  level: string;
  /** Human text instead of JSON lines. */
  pretty: boolean;
  destination?: DestinationStream;
}

/** Field names that never reach a log line, wherever they stand. */
const redactedPaths = [
  'authorization',
  'headers.authorization',
  'key',
  'secret',
  'signing_secret',
  'text',
  'segments',
];

export function createLogger({ level, pretty, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[redacted]' },
    serializers: { err: (error: unknown) => errorInLog(error) },
  };
  if (destination) return pino(options, destination);
  if (pretty) return pino(options, prettyStream({ colorize: true, destination: 2, sync: true }));
  return pino(options, pino.destination({ dest: 2, sync: false }));
}

const causesMax = 5;

/** Of an error only what tells its story: libraries hang whole connections, requests and their secrets on theirs. */
function errorInLog(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    type: name,
    message,
    stack,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(cause !== undefined && depth < causesMax ? { cause: errorInLog(cause, depth + 1) } : {}),
  };
}
