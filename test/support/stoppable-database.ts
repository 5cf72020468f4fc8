/** A PostgreSQL of a test's own, which the test can stop like a machine that hangs, take away, and bring back. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/platform/clock.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { childProcesses } from './child-processes.ts';
import { type Hooks, onCleanup } from './cleanup.ts';
import { temporaryDataDir } from './service.ts';
import { silentLogger } from './silent-logger.ts';

export interface StoppableDatabase {
  connectionString: string;
  /** Every process of the server stands still: connections stay open, and nothing answers. */
  freeze(): Promise<void>;
  thaw(): void;
  /** The server is not there. */
  takeAway(): Promise<void>;
  bringBack(): Promise<void>;
}

export async function stoppableDatabase(hooks: Hooks): Promise<StoppableDatabase> {
  const dataDir = await temporaryDataDir(hooks);
  const open = () => openEmbeddedPostgres({ dataDir, logger: silentLogger, clock: systemClock });
  let postgres: EmbeddedPostgres | undefined = await open();
  let frozen: number[] = [];
  const thaw = () => {
    for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
  };
  onCleanup(hooks, async () => {
    thaw();
    await postgres?.close();
  });
  return {
    connectionString: postgres.connectionString,
    thaw,
    async freeze() {
      const [pid] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
      frozen = [Number(pid), ...childProcesses(Number(pid))];
      for (const one of frozen) process.kill(one, 'SIGSTOP');
    },
    async takeAway() {
      await postgres?.close();
      postgres = undefined;
    },
    async bringBack() {
      postgres ??= await open();
    },
  };
}
