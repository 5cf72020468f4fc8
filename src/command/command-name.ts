import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { programPath } from '../platform/process/subprocess.ts';

/** The command as this machine's users type it: a checkout has it through npx, an installation by its name. */
export function commandName(directories: readonly string[] = programPath): string {
  return directories.some((directory) => existsSync(join(directory, 'longhand')))
    ? 'longhand'
    : 'npx longhand';
}

/** Texts name our commands as `longhand key create`; whoever reads one can copy it as it stands. */
export function asTyped(text: string, name: string = commandName()): string {
  return text.replace(/(?<![\w./-])(?:npx )?longhand(?= [a-z])/g, name);
}
