/**
 * What somebody who means harm can do to the service and to other accounts, and what faults around it cost its jobs.
 * `npm run bench -- attacks [PART…]`: every part unless some are named. A part is a line below.
 */
import { diskAttacks } from './attacks/disk.ts';
import { erasureAttacks } from './attacks/erasure.ts';
import { fairnessAttacks } from './attacks/fairness.ts';
import { guardAttacks } from './attacks/guard.ts';
import { killAttacks } from './attacks/kills.ts';
import { databaseOutage, engineOutage, frozenDatabase, fullDisk, storageOutage } from './attacks/outages.ts';
import { taskAttacks } from './attacks/tasks.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';

const parts: Readonly<Record<string, () => Promise<BenchmarkRow[]>>> = {
  guard: guardAttacks,
  fairness: fairnessAttacks,
  disk: diskAttacks,
  'storage-away': storageOutage,
  'database-away': databaseOutage,
  'database-frozen': frozenDatabase,
  'engine-away': engineOutage,
  'disk-full': fullDisk,
  kills: killAttacks,
  tasks: taskAttacks,
  erasure: erasureAttacks,
};

export async function run(args: string[]): Promise<Benchmark> {
  const unknown = args.find((name) => !(name in parts));
  if (unknown !== undefined)
    throw new Error(`there is no part "${unknown}": choose among ${Object.keys(parts).join(', ')}`);
  const rows: BenchmarkRow[] = [];
  for (const [name, attack] of Object.entries(parts)) {
    if (args.length === 0 || args.includes(name)) rows.push(...(await attack()));
  }
  return { title: 'Attacks', rows };
}
