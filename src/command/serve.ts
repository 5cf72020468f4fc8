import { readConfig } from '../config.ts';
import { systemClock } from '../platform/clock.ts';
import { createLogger } from '../platform/telemetry/telemetry.ts';
import { startService } from '../service/service.ts';
import { asTyped } from './command-name.ts';
import { readyLine, startLines } from './start-lines.ts';
import { UsageError } from './usage-error.ts';

const roles = ['all', 'api', 'worker'] as const;
type Role = (typeof roles)[number];

/** Runs until a signal; resolves with the exit code. */
export async function serve(options: { role?: string }): Promise<number> {
  const given = readConfig();
  const config = { ...given, role: roleOf(options.role) ?? given.role };
  const logger = createLogger({ level: config.logLevel, pretty: process.stderr.isTTY });
  logger.debug({ settings: config.redacted, role: config.role, workers: config.workers }, 'starting');
  for (const warning of config.warnings) logger.warn(warning);

  const stopping = nextSignal();
  const service = await startService(config, systemClock, logger);
  process.stdout.write(`${asTyped(startLines(service).join('\n'))}\n`);
  if (service.missing.length > 0)
    service.ready.then(
      () => process.stdout.write(`${readyLine(service)}\n`),
      () => {}, // It was stopped before.
    );

  const reason = await Promise.race([stopping, service.broken]);
  if (reason instanceof Error) logger.fatal({ err: reason }, 'the service cannot go on');
  else logger.info({ signal: reason }, 'stopping');
  const secondSignal = nextSignal().then(() => 'again' as const);
  const outcome = await Promise.race([service.stop(), secondSignal]);
  if (outcome === 'again') return 130;
  return reason instanceof Error ? 1 : 0;
}

function roleOf(text: string | undefined): Role | undefined {
  if (text === undefined) return undefined;
  const role = roles.find((one) => one === text);
  if (!role) throw new UsageError(`--role must be one of ${roles.join(', ')}, not "${text}".`);
  return role;
}

function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
  });
}
