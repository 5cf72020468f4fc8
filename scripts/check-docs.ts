/** Proves that what the documents point at exists: pages, headings, files, benchmarks, tests, settings. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { settingSchema } from '../src/config-schema.ts';

const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md']).toSorted();
/** What a path in a document may be relative to, besides the root. */
const bases = ['', 'src', 'docs', 'test', 'web/src'];
/** Read by tests, the bundled client or a deployment, not by the service. */
const otherSettings = /^LONGHAND_(TEST|FUZZ)_|_$/;
const problems: string[] = [];

function matches(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, found = '']) => found))];
}

/** As Markdown viewers make a heading's anchor. */
function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

function checkLinks(page: string, text: string): void {
  for (const link of matches(text, /\]\(([^)\s]+)\)/g)) {
    if (/^(https?|mailto):/.test(link)) continue;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : normalize(join(dirname(page), path));
    if (!existsSync(target)) problems.push(`${page}: there is no ${target}`);
    else if (anchor !== undefined && target.endsWith('.md')) {
      const headings = matches(readFileSync(target, 'utf8'), /^#+ (.*)$/gm).map(anchorOf);
      if (!headings.includes(anchor)) problems.push(`${page}: ${target} has no heading #${anchor}`);
    }
  }
}

function checkNames(page: string, text: string): void {
  const paths = [
    ...matches(text, /`((?:[\w-]+\/)+[\w.-]+\.(?:tsx?|js|sql|ya?ml|json|md|sh))`/g),
    ...matches(text, /`((?:src|web|test|bench|scripts|packages|deploy|migrations)\/[\w./-]*)`/g),
    ...matches(text, /npm test -- ((?:src|test|web)\/[\w./-]+)/g),
  ];
  for (const path of new Set(paths))
    if (!path.startsWith('bench/results/') && !bases.some((base) => existsSync(join(base, path))))
      problems.push(`${page}: there is no ${path}`);
  for (const name of matches(text, /npm run bench -- ([a-z-]+)/g))
    if (!existsSync(`bench/${name}.ts`)) problems.push(`${page}: there is no benchmark ${name}`);
  for (const name of matches(text, /\b(LONGHAND_[A-Z0-9_]+)/g))
    if (!otherSettings.test(name) && !(name in settingSchema.shape))
      problems.push(`${page}: there is no setting ${name}`);
}

for (const page of pages) {
  const text = readFileSync(page, 'utf8');
  checkLinks(page, text);
  // A decision speaks of the code of its day.
  if (!page.startsWith('docs/decisions/')) checkNames(page, text);
}

if (problems.length > 0) {
  for (const problem of problems) console.error(problem);
  process.exitCode = 1;
} else {
  console.log(`docs: ${pages.length} pages, everything that they point at exists`);
}
