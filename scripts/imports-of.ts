import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Every file of ours that this one imports when it is loaded, directly or through others. */
export function importsOf(file: string, known = new Set<string>()): Set<string> {
  const { module } = parseSync(file, readFileSync(file, 'utf8'));
  for (const { moduleRequest } of module.staticImports) {
    if (!moduleRequest.value.startsWith('.')) continue;
    const target = normalize(join(dirname(file), moduleRequest.value));
    if (known.has(target)) continue;
    known.add(target);
    importsOf(target, known);
  }
  return known;
}
