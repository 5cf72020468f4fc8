/**
 * Proves two promises of docs/architecture.md on every file of src/:
 * dependencies run one way, and each danger has one door.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** A part may import parts of a lower rank and itself; never a neighbour of its own rank. */
const ranks: Record<string, number> = {
  contract: 0,
  platform: 0,
  account: 1,
  storage: 1,
  media: 1,
  speech: 1,
  upload: 2,
  webhook: 2,
  transcription: 3,
  http: 4,
  mcp: 4,
  config: 5,
  service: 6,
  command: 7,
  main: 8,
};

/** A danger, what gives access to it, and the only files that may use it. */
interface Door {
  danger: string;
  modules?: RegExp;
  names?: RegExp;
  through: RegExp;
}

const doors: Door[] = [
  {
    danger: 'a subprocess',
    modules: /^node:(child_process|cluster|worker_threads)$/,
    through: /^src\/platform\/(subprocess|hash-thread)/,
  },
  {
    danger: 'the network outward',
    modules: /^(undici|node:(net|tls|http|https|http2|dns|dgram|dns\/promises))$/,
    names: /^(fetch|WebSocket|EventSource)$/,
    through: /^src\/platform\/(egress|address)/,
  },
  { danger: 'the npm registry', modules: /^pacote$/, through: /^src\/speech\/model-download\.ts$/ },
  { danger: 'the object store', modules: /^@aws-sdk\//, through: /^src\/storage\/s3-/ },
  { danger: 'the database driver', modules: /^pg$/, through: /^src\/platform\/database\.ts$/ },
  { danger: 'the queue', modules: /^pg-boss$/, through: /^src\/platform\/queue\.ts$/ },
  {
    danger: 'the clock',
    modules: /^node:timers/,
    names: /^(Date\.now|new Date|performance\.now|setTimeout|setInterval|AbortSignal\.timeout)$/,
    through: /^src\/platform\/clock\.ts$/,
  },
  { danger: 'the environment', names: /^process\.env$/, through: /^src\/config\.ts$/ },
  {
    danger: 'ending the process',
    names: /^process\.(exit|abort)$/,
    through: /^src\/(main|speech\/speech-process-main)\.ts$/,
  },
  {
    danger: 'sealing secrets',
    names: /^(createCipheriv|createDecipheriv)$/,
    through: /^src\/platform\/secret-box\.ts$/,
  },
];

const problems: string[] = [];

function partOf(path: string): string {
  const [, second = ''] = path.split('/');
  return second.replace(/(\.test)?\.ts$/, '');
}

function checkDirection(file: string, target: string): void {
  const from = partOf(file);
  const to = partOf(target);
  const fromRank = ranks[from];
  const toRank = ranks[to];
  if (fromRank === undefined || toRank === undefined) {
    problems.push(
      `${file}: the part "${fromRank === undefined ? from : to}" has no rank in scripts/check-boundaries.ts`,
    );
  } else if (from !== to && toRank >= fromRank) {
    problems.push(`${file}: ${from} may not import ${to} (${target})`);
  }
}

function checkDoors(file: string, used: { module?: string; name?: string }): void {
  for (const door of doors) {
    const hit =
      (used.module && door.modules?.test(used.module)) || (used.name && door.names?.test(used.name));
    if (hit && !door.through.test(file)) {
      problems.push(
        `${file}: ${used.module ?? used.name} walks round the door for ${door.danger} (${door.through.source})`,
      );
    }
  }
}

function checkImport(file: string, specifier: string): void {
  const target = specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : undefined;
  // A test beside the code may use what all tests share.
  if (target?.startsWith('test/support/') && file.endsWith('.test.ts')) return;
  if (target) checkDirection(file, target);
  else checkDoors(file, { module: specifier });
}

function checkFile(file: string): void {
  const { program, errors } = parseSync(file, readFileSync(file, 'utf8'));
  for (const error of errors) problems.push(`${file}: ${error.message}`);
  const isTest = file.endsWith('.test.ts');
  const door = (name: string) => {
    if (!isTest) checkDoors(file, { name });
  };
  new Visitor({
    ImportDeclaration(node) {
      // A type costs nothing at run time and opens no door.
      const opensNothing = isTest || node.importKind === 'type';
      if (opensNothing && !node.source.value.startsWith('.')) return;
      checkImport(file, node.source.value);
    },
    ExportNamedDeclaration(node) {
      if (node.source) checkImport(file, node.source.value);
    },
    ImportExpression(node) {
      if (node.source.type === 'Literal' && typeof node.source.value === 'string')
        checkImport(file, node.source.value);
    },
    ImportSpecifier(node) {
      if (node.imported.type === 'Identifier') door(node.imported.name);
    },
    MemberExpression(node) {
      if (node.object.type === 'Identifier' && node.property.type === 'Identifier') {
        door(`${node.object.name}.${node.property.name}`);
      }
    },
    NewExpression(node) {
      if (node.callee.type !== 'Identifier') return;
      if (node.callee.name === 'Date' && node.arguments.length === 0) door('new Date');
      else door(node.callee.name);
    },
    CallExpression(node) {
      if (node.callee.type === 'Identifier') door(node.callee.name);
    },
  }).visit(program);
}

const files = globSync('src/**/*.ts').toSorted();
for (const file of files) checkFile(file);

if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  process.exitCode = 1;
} else {
  console.log(
    `boundaries: ${files.length} files, every import runs downward and every danger goes through its door`,
  );
}
