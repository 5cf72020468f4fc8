/** docs/conformance.md, made from the statements of test/conformance and the names of the tests that prove them. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Argument, parseSync, Visitor } from 'oxc-parser';
import type { Proof, Statement } from '../test/conformance/statement.ts';
import { sections } from '../test/conformance/statements.ts';

const root = join(import.meta.dirname, '..');
/** Functions whose first argument is the name of a test. */
const namesTests = /^(test|it|storageCase)$/;

/** The names of the tests in a file; an expression inside a name is an ellipsis. */
function testNames(file: string): Set<string> {
  const source = readFileSync(join(root, file), 'utf8');
  const names = new Set<string>();
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      const name = callee.type === 'Identifier' && namesTests.test(callee.name) ? literal(first) : undefined;
      if (name !== undefined) names.add(name);
    },
  }).visit(parseSync(file, source).program);
  return names;
}

function literal(argument: Argument | undefined): string | undefined {
  if (argument?.type === 'Literal' && typeof argument.value === 'string') return argument.value;
  if (argument?.type !== 'TemplateLiteral') return undefined;
  return argument.quasis.map(({ value }) => value.cooked).join('…');
}

/** Throws where a named test does not exist: then the statement is not proved any more. */
function assertProofsExist(statements: readonly Statement[]): void {
  const known = new Map<string, Set<string>>();
  for (const { says, proofs } of statements) {
    for (const { file, test } of proofs) {
      const names = known.get(file) ?? testNames(file);
      known.set(file, names);
      if (!names.has(test))
        throw new Error(
          `test/conformance: "${says}" is proved by "${test}" in ${file}, but there is no such test`,
        );
    }
  }
}

export function conformanceDocument(): string {
  const statements = sections.flatMap((section) => section.statements);
  assertProofsExist(statements);
  const proved = statements.filter(({ proofs }) => proofs.length > 0).length;
  let number = 0;
  const tables = sections.map(({ title, statements: own }) => {
    const rows = own.map((statement) => {
      number += 1;
      return `| ${number} | ${cell(statement.says)} | ${evidence(statement)} |`;
    });
    return `## ${title}\n\n| # | statement | proved by |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `<!-- Made by "npm run generate" from test/conformance and the names of the tests. -->

# Conformance

Every statement of the interface specification beside the tests that prove it, in the specification's order:
${statements.length} statements, ${proved} proved by tests, ${statements.length - proved} with the reason why no test can. \`npm run check\` fails when a named
test is gone; \`npm test\` runs them all.

${tables.join('\n')}`;
}

function evidence({ proofs, reason }: Statement): string {
  if (proofs.length === 0) return `not by a test: ${cell(reason ?? '')}`;
  return proofs.map(link).join('<br>');
}

function link({ file, test }: Proof): string {
  return `${cell(test)} ([${basename(file, '.test.ts')}](../${file}))`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
