/**
 * What somebody who means harm can do to the service and to other accounts.
 * `npm run bench -- attacks [PART…]`: every part unless some are named. A part is a file of its own and a line below.
 */
import { guardAttacks } from './attacks-guard.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';

const parts: Readonly<Record<string, () => Promise<BenchmarkRow[]>>> = {
  guard: guardAttacks,
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
