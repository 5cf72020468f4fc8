import { type DestinationStream, type Logger, pino } from 'pino';
import { build as prettyStream } from 'pino-pretty';
import { redactedFields, withoutSecrets } from './redaction.ts';

export type { Logger } from 'pino';

export interface LoggerOptions {
  level: string;
  /** Human text instead of JSON lines. */
  pretty: boolean;
  destination?: DestinationStream;
}

export function createLogger({ level, pretty, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: redactedFields },
    // Errors are told by the formatter, wherever they stand; the default serializer would be first.
    serializers: { err: (error: unknown) => error },
    hooks: { streamWrite: withoutSecrets },
  };
  return withRedactedBindings(pino(options, destination ?? standardError(pretty)));
}

function standardError(pretty: boolean): DestinationStream {
  return pretty
    ? prettyStream({ colorize: true, destination: 2, sync: true })
    : pino.destination({ dest: 2, sync: false });
}

/** The fields of a child logger stand in every line of it, and its formatter does not see them. */
function withRedactedBindings(logger: Logger): Logger {
  const { child } = logger;
  logger.child = function childOf(this: Logger, bindings, options) {
    return child.call(this, redactedFields(bindings), options) as ReturnType<typeof child>;
  } as typeof child;
  return logger;
}
