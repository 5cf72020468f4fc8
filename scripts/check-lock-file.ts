/**
 * Every package of the lock file has its hash, so that a registry cannot give another content for the same version.
 * Left out by name: tools of developers for platforms that Longhand is not developed on. The registry from which this
 * lock file was made does not carry them, so their hashes are not known here; npm ci needs their entries all the same.
 * With --fill the hashes that are missing are asked of the registry, and the lock file is written.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  version?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
}

const foreignTools =
  /^(@biomejs\/cli|@oxc-parser\/binding)-(android|darwin|freebsd|openharmony|win32|linux-(.+-musl|.+-musleabihf|arm-|ppc64-|riscv64-|s390x-))/;
const file = join(import.meta.dirname, '..', 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockedPackage> };
const ours = /^(|packages\/[^/]+|web)$/;

function missingHashes(): { name: string; entry: LockedPackage }[] {
  return Object.entries(lock.packages)
    .filter(([path, entry]) => !ours.test(path) && !entry.link && !entry.integrity)
    .map(([path, entry]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 13), entry }));
}

function hashInRegistry(name: string, version: string): string | undefined {
  try {
    const wanted = ['view', `${name}@${version}`, 'dist.integrity'];
    const answer = execFileSync('npm', wanted, { stdio: ['ignore', 'pipe', 'ignore'], timeout: 60_000 });
    return answer.toString().trim() || undefined;
  } catch {
    return undefined;
  }
}

/** In the order in which npm writes them. */
function withHash({ version, ...rest }: LockedPackage, integrity: string): LockedPackage {
  return { ...(version ? { version } : {}), integrity, ...rest };
}

if (process.argv.includes('--fill')) {
  for (const [path, entry] of Object.entries(lock.packages)) {
    const found = missingHashes().find((one) => one.entry === entry);
    const integrity = found && hashInRegistry(found.name, entry.version ?? '');
    if (integrity) lock.packages[path] = withHash(entry, integrity);
  }
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}

const excused = ({ name, entry }: { name: string; entry: LockedPackage }) =>
  entry.dev === true && entry.optional === true && foreignTools.test(name);
const missing = missingHashes().filter((one) => !excused(one));
for (const { name, entry } of missing)
  console.error(
    `package-lock.json: ${name}@${entry.version} has no hash; run "node scripts/check-lock-file.ts --fill"`,
  );
if (missing.length > 0) process.exitCode = 1;
