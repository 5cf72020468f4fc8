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
  };
  if (destination) return pino(options, destination);
  if (pretty) return pino(options, prettyStream({ colorize: true, destination: 2, sync: true }));
  return pino(options, pino.destination({ dest: 2, sync: false }));
}
