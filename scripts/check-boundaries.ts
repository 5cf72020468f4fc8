/**
 * Proves the promises of docs/architecture.md: on every file of src/ dependencies run one way and in no circle, each
 * danger has one place that may use it, and SQL stands in stores; black-box tests know nothing of src/, not even
 * through what they share.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { directImportsOf, dynamicSpecifier, importsOf } from './imports-of.ts';

/** Parts of one line do not import each other; each may import the lines above it and itself. */
const ranks = rankTable([
  ['contract', 'timeline', 'onnx', 'platform'],
  ['egress', 'postgres', 'transcript'],
  ['account', 'storage', 'media', 'model'],
  ['speech'],
  ['upload', 'webhook'],
  ['transcription'],
  ['edition', 'erasure', 'archive'],
  ['http'],
  ['openai', 'mcp', 'web'],
  ['config-schema'],
  ['config'],
  ['service'],
  ['command'],
  ['main'],
]);

function rankTable(lines: readonly (readonly string[])[]): Record<string, number> {
  return Object.fromEntries(lines.flatMap((parts, rank) => parts.map((part) => [part, rank])));
}

/** A danger, what gives access to it, and the only files that may use it. */
interface Danger {
  what: string;
  modules?: RegExp;
  names?: RegExp;
  through: RegExp;
}

const dangers: Danger[] = [
  {
    what: 'a subprocess',
    modules: /^node:(child_process|cluster|worker_threads)$/,
    through: /^src\/(platform\/process\/(subprocess|sandbox-bridge)|storage\/local\/upload-thread)/,
  },
  {
    what: 'the network outward',
    modules: /^(undici|node:(net|tls|http|https|http2|dns|dgram|dns\/promises))$/,
    names: /^(fetch|WebSocket|EventSource)$/,
    // The bridge runs inside a sandbox, where there is no network but the egress proxy's socket.
    through: /^src\/(egress\/|platform\/process\/sandbox-bridge\.ts)/,
  },
  {
    // Its address is typed by the person at the command line, so nothing of it is judged: docs/decisions/0085.
    what: "the user's own server",
    modules: /^#longhand-client/,
    through: /^src\/command\/(server\/server-client|transcribe\/server-(job|runner)|webhook-listen|mcp)\.ts$/,
  },
  {
    // Its address is the operator's own setting; nothing that a caller wrote can choose it.
    what: "the operator's trace collector",
    modules: /^@opentelemetry\/exporter-trace/,
    through: /^src\/platform\/telemetry\/traces\.ts$/,
  },
  { what: 'the npm registry', modules: /^pacote$/, through: /^src\/model\/model-download\.ts$/ },
  { what: 'the object store', modules: /^@aws-sdk\//, through: /^src\/storage\/s3-/ },
  {
    what: 'the database driver',
    modules: /^pg$/,
    through: /^src\/platform\/database\/(database|database-connection|dedicated-connection)\.ts$/,
  },
  { what: 'the queue', modules: /^pg-boss$/, through: /^src\/platform\/queue\/task-store\.ts$/ },
  {
    what: 'the clock',
    modules: /^node:timers/,
    names: /^(Date\.now|new Date|performance\.now|setTimeout|setInterval|AbortSignal\.timeout)$/,
    through: /^src\/platform\/clock\.ts$/,
  },
  { what: 'the environment', names: /^process\.env$/, through: /^src\/config\.ts$/ },
  {
    what: 'ending the process',
    names: /^process\.(exit|abort)$/,
    through: /^src\/(main|platform\/process\/sandbox-bridge|speech\/process\/speech-process-main)\.ts$/,
  },
  {
    what: 'sealing secrets',
    names: /^(createCipheriv|createDecipheriv)$/,
    through: /^src\/platform\/secret-box\.ts$/,
  },
];

/** Queries and writes, as a text that begins with one. */
const sql = /^\s*(select|insert into|update|delete from|with)\s/;
/**
 * Stores, and what works on the database itself instead of on the nouns in it: its connections, migrations and queue,
 * the embedded server, and copies of whole tables.
 */
const sqlPlaces = /-store\.ts$|\.test\.ts$|^src\/(platform|postgres|archive)\//;

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

function checkDangers(file: string, used: { module?: string; name?: string }): void {
  for (const danger of dangers) {
    const hit =
      (used.module && danger.modules?.test(used.module)) || (used.name && danger.names?.test(used.name));
    if (hit && !danger.through.test(file)) {
      problems.push(
        `${file}: ${used.module ?? used.name} is for ${danger.what}, which only some files may use (${danger.through.source})`,
      );
    }
  }
}

function checkText(file: string, text: string): void {
  if (sql.test(text) && !sqlPlaces.test(file))
    problems.push(`${file}: SQL stands in *-store.ts: ${text.trim().slice(0, 60)}`);
}

function checkImport(file: string, specifier: string): void {
  const target = specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : undefined;
  // A test beside the code may use what all tests share.
  if (target?.startsWith('test/support/') && file.endsWith('.test.ts')) return;
  if (target) checkDirection(file, target);
  else checkDangers(file, { module: specifier });
}

/** Walks depth first; a file that is met again while it is still being walked closes a circle. */
function checkCircles(files: readonly string[]): void {
  const finished = new Set<string>();
  const path: string[] = [];
  const walk = (file: string): void => {
    if (finished.has(file)) return;
    const start = path.indexOf(file);
    if (start >= 0) {
      problems.push(`imports run in a circle: ${[...path.slice(start), file].join(' → ')}`);
      return;
    }
    path.push(file);
    for (const target of directImportsOf(file)) walk(target);
    path.pop();
    finished.add(file);
  };
  for (const file of files) walk(file);
}

/** Follows the imports of a black-box test through everything it shares with others. */
function checkBlackBox(file: string): void {
  for (const target of importsOf(file)) {
    if (target.startsWith('src/')) problems.push(`${file}: a black-box test may not use ${target}`);
  }
}

function checkFile(file: string): void {
  const { program, errors } = parseSync(file, readFileSync(file, 'utf8'));
  for (const error of errors) problems.push(`${file}: ${error.message}`);
  const isTest = file.endsWith('.test.ts');
  const checkName = (name: string) => {
    if (!isTest) checkDangers(file, { name });
  };
  new Visitor({
    ImportDeclaration(node) {
      // A type costs nothing at run time and gives access to nothing.
      const givesNothing = isTest || node.importKind === 'type';
      if (givesNothing && !node.source.value.startsWith('.')) return;
      checkImport(file, node.source.value);
    },
    ExportNamedDeclaration(node) {
      if (node.source) checkImport(file, node.source.value);
    },
    ExportAllDeclaration(node) {
      checkImport(file, node.source.value);
    },
    ImportExpression(node) {
      const specifier = dynamicSpecifier(node);
      if (specifier !== undefined) checkImport(file, specifier);
    },
    ImportSpecifier(node) {
      if (node.imported.type === 'Identifier') checkName(node.imported.name);
    },
    Literal(node) {
      if (typeof node.value === 'string') checkText(file, node.value);
    },
    TemplateLiteral(node) {
      checkText(file, node.quasis[0]?.value.raw ?? '');
    },
    MemberExpression(node) {
      if (node.object.type === 'Identifier' && node.property.type === 'Identifier') {
        checkName(`${node.object.name}.${node.property.name}`);
      }
    },
    NewExpression(node) {
      if (node.callee.type !== 'Identifier') return;
      if (node.callee.name === 'Date' && node.arguments.length === 0) checkName('new Date');
      else checkName(node.callee.name);
    },
    CallExpression(node) {
      if (node.callee.type === 'Identifier') checkName(node.callee.name);
    },
  }).visit(program);
}

const files = globSync('src/**/*.ts').toSorted();
for (const file of files) checkFile(file);
checkCircles(globSync(['{src,web/src,packages/*/src,bench,test,scripts}/**/*.{ts,tsx}']).toSorted());
const blackBoxTests = globSync('test/acceptance/**/*.ts').toSorted();
for (const file of blackBoxTests) checkBlackBox(file);

if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  process.exitCode = 1;
} else {
  console.log(
    `boundaries: ${files.length} files, every import runs downward and in no circle, every danger stays in its place, SQL in its stores`,
  );
}
