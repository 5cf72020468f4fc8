/** `npm run bench -- NAME`: one benchmark; prints a table and writes its figures as JSON to bench/results/. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { basename, join } from 'node:path';
import { useOwnDirectory } from './stage/own-directory.ts';

export interface BenchmarkRow {
  figure: string;
  value: string;
  /** What the figure is held against, if anything. */
  bar?: string;
  passed?: boolean;
}

export interface Benchmark {
  title: string;
  rows: BenchmarkRow[];
}

const directory = import.meta.dirname;
/** A benchmark is a file here that exports `run`; the folders hold what they are made of. */
const names = globSync('*.ts', { cwd: directory })
  .filter((file) => readFileSync(join(directory, file), 'utf8').includes('export async function run('))
  .map((file) => basename(file, '.ts'));
const [name, ...args] = process.argv.slice(2);

if (name === undefined || !names.includes(name)) {
  console.error(`Usage: npm run bench -- NAME, where NAME is one of ${names.join(', ')}.`);
  process.exit(1);
}

await useOwnDirectory();
const { run } = (await import(join(directory, `${name}.ts`))) as { run(args: string[]): Promise<Benchmark> };
const { title, rows } = await run(args);

const machine = `${availableParallelism()} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
console.log(`\n${title} (${machine})\n`);
console.table(
  rows.map(({ figure, value, bar = '', passed }) => ({
    figure,
    value,
    bar,
    passed: passed === undefined ? '' : passed ? 'yes' : 'NO',
  })),
);
mkdirSync(join(directory, 'results'), { recursive: true });
writeFileSync(
  join(directory, 'results', `${name}.json`),
  `${JSON.stringify({ title, machine, rows }, null, 2)}\n`,
);
process.exitCode = rows.some(({ passed }) => passed === false) ? 1 : 0;
