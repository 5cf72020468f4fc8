/** `longhand migrate`: the schema, by hand; for whoever lets no service change it. */
import { openFoundation } from '../service/foundation.ts';
import { openQueue } from '../service/processing.ts';
import { commandContext, print } from './command-context.ts';

export async function migrateDatabase(options: { json?: boolean }): Promise<void> {
  const { config, clock, logger } = commandContext();
  const foundation = await openFoundation({ ...config, migrate: true }, clock, logger);
  try {
    // The queue brings a schema of its own.
    await (await openQueue(foundation)).stop(0);
    const { migrated } = foundation;
    print({ migrated }, options, () =>
      migrated.length === 0 ? ['The database is up to date.'] : migrated.map((name) => `migrated ${name}`),
    );
  } finally {
    await foundation.close();
  }
}
