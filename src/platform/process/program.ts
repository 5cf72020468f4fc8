/** Where a program is, and which files it consists of beyond what every program of the system may read. */
import { accessSync, statSync } from 'node:fs';
import { access, constants, readFile, realpath } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { isSystemPath } from './sandbox.ts';
import { programPath } from './subprocess.ts';

export interface Program {
  path: string;
  /** What a sandbox has to show so that it can start; empty for programs of the system. */
  files: readonly string[];
}

/** The first of the candidates that is there: a path, or a name to look for. */
export async function findProgram(candidates: readonly string[]): Promise<Program | undefined> {
  for (const candidate of candidates) {
    const path = await located(candidate);
    if (path !== undefined) return { path, files: await filesOf(path) };
  }
  return undefined;
}

async function located(command: string): Promise<string | undefined> {
  const candidates = command.includes('/')
    ? [resolve(command)]
    : programPath.map((directory) => join(directory, command));
  for (const candidate of candidates) {
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  return undefined;
}

async function filesOf(path: string): Promise<string[]> {
  const real = await realpath(path);
  const files = [path, real, ...(await pythonEnvironment(real))];
  return [...new Set(files)].filter((file) => !isSystemPath(file));
}

/** A virtual environment is needed whole, with the Python that it was made from. */
async function pythonEnvironment(path: string): Promise<string[]> {
  const folder = dirname(dirname(path));
  const configuration = await readFile(join(folder, 'pyvenv.cfg'), 'utf8').catch(() => undefined);
  if (configuration === undefined) return [];
  const home = /^home\s*=\s*(\/.*)$/m.exec(configuration)?.[1]?.trim();
  return home === undefined ? [folder] : [folder, dirname(home)];
}

/**
 * Programs are started with a clean environment, so the path of whoever started the service is searched once, when its
 * settings are read. The name itself where it is not there.
 */
export function programOnPath(name: string, path = ''): string {
  const directories = path.split(delimiter).filter(isAbsolute);
  const found = directories.map((directory) => join(directory, name)).find(isProgram);
  return found ?? name;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
