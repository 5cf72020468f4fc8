/** A reporter of the test runner: what was skipped and why, by reason. Nothing when nothing was. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

// biome-ignore lint/style/noDefaultExport: the test runner takes a reporter's default export.
export default async function* skippedTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const namesByReason = new Map<string, string[]>();
  for await (const { type, data } of events) {
    if (type !== 'test:pass' || data.skip === undefined || data.skip === false) continue;
    const reason = typeof data.skip === 'string' && data.skip !== '' ? data.skip : 'no reason is given';
    const file = data.file ? ` (${relative(process.cwd(), data.file)})` : '';
    namesByReason.set(reason, [...(namesByReason.get(reason) ?? []), `${data.name}${file}`]);
  }
  for (const [reason, names] of namesByReason) {
    yield `Skipped, ${reason}:\n`;
    for (const name of names) yield `  ${name}\n`;
  }
}
