/**
 * The client as npm would give it: packed and unpacked into a project of its own. `npm test` has built it before; a build
 * here would take the files away from other tests.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { extract } from 'tar';
import { type Hooks, onCleanup } from './cleanup.ts';

const run = promisify(execFile);

export const clientPackageDir = join(import.meta.dirname, '..', '..', 'packages', 'client');

export interface PackedClient {
  /** A project with the client below its node_modules, removed when the tests end. */
  directory: string;
  tarball: string;
  installed: string;
}

export async function packedClient(hooks: Hooks): Promise<PackedClient> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-client-'));
  onCleanup(hooks, () => rm(directory, { recursive: true, force: true }));
  await run('npm', ['pack', '--pack-destination', directory], { cwd: clientPackageDir });
  const [name = ''] = await readdir(directory);
  const tarball = join(directory, name);
  const installed = join(directory, 'node_modules', 'longhand-client');
  await mkdir(installed, { recursive: true });
  await extract({ file: tarball, cwd: installed, strip: 1 });
  return { directory, tarball, installed };
}
