import { type Config, readConfig } from '../config.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { createLogger, type Logger } from '../platform/telemetry/telemetry.ts';
import type { Foundation } from '../service/foundation.ts';
import { asTyped } from './command-name.ts';

export interface CommandContext {
  config: Config;
  clock: Clock;
  logger: Logger;
}

/** A command speaks through its own output; the log is for what goes wrong, unless the operator asks for more. */
export function commandContext(): CommandContext {
  const config = readConfig();
  const level = config.redacted.LONGHAND_LOG_LEVEL ?? 'error';
  return { config, clock: systemClock, logger: createLogger({ level, pretty: process.stderr.isTTY }) };
}

/** Runs `work` on the database: joins the one that runs, or starts the embedded one for the moment. */
export async function onFoundation<Result>(
  work: (foundation: Foundation) => Promise<Result>,
): Promise<Result> {
  const { config, clock, logger } = commandContext();
  const { openFoundation } = await import('../service/foundation.ts');
  const foundation = await openFoundation(config, clock, logger);
  try {
    return await work(foundation);
  } finally {
    await foundation.close();
  }
}

/** One object for programs, or lines for people. */
export function print(
  value: object,
  options: { json?: boolean | undefined },
  lines: () => readonly string[],
): void {
  const text = options.json ? JSON.stringify(value) : asTyped(lines().join('\n'));
  process.stdout.write(`${text}\n`);
}

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
