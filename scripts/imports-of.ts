import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { type ImportExpression, parseSync, Visitor } from 'oxc-parser';

/** By file: most are reached through many others. */
const specifiers = new Map<string, string[]>();

/** Every file of ours that this one imports or exports again, directly or through others, also later by `import()`. */
export function importsOf(file: string, known = new Set<string>()): Set<string> {
  for (const target of directImportsOf(file)) {
    if (known.has(target)) continue;
    known.add(target);
    importsOf(target, known);
  }
  return known;
}

/** Files of ours that this one names itself, types included; not styles and the like. */
export function directImportsOf(file: string): string[] {
  return specifiersIn(file)
    .filter((specifier) => /^\..*\.[jt]sx?$/.test(specifier))
    .map((specifier) => normalize(join(dirname(file), specifier)));
}

function specifiersIn(file: string): string[] {
  const read = specifiers.get(file);
  if (read) return read;
  const found: string[] = [];
  specifiers.set(file, found);
  const { program } = parseSync(file, readFileSync(file, 'utf8'));
  new Visitor({
    ImportDeclaration: ({ source }) => void found.push(source.value),
    ExportNamedDeclaration: ({ source }) => void (source && found.push(source.value)),
    ExportAllDeclaration: ({ source }) => void found.push(source.value),
    ImportExpression: (node) => void found.push(dynamicSpecifier(node) ?? ''),
  }).visit(program);
  return found;
}

/** Undefined where it is known only at run time. */
export function dynamicSpecifier({ source }: ImportExpression): string | undefined {
  if (source.type === 'Literal' && typeof source.value === 'string') return source.value;
  if (source.type === 'TemplateLiteral' && source.expressions.length === 0)
    return source.quasis[0]?.value.raw;
  return undefined;
}
