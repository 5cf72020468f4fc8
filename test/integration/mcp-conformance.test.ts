/** The conformance suite on our plumbing with the suite's own fixture tools. Which scenarios do not apply, and why: docs/agents.md. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startConformanceServer } from '../support/conformance-server.ts';
import { runConformance } from '../support/conformance-suite.ts';

for (const revision of ['2026-07-28', '2025-11-25']) {
  test(`the suite's requirements for ${revision} hold, but for those that do not apply`, async (t) => {
    const url = await startConformanceServer(t);
    const exceptions = join(import.meta.dirname, '..', 'fixtures', `mcp-conformance-${revision}.yml`);
    const { code, output } = await runConformance(t, [
      '--url',
      url,
      '--requirements',
      revision,
      '--expected-failures',
      exceptions,
    ]);
    assert.equal(code, 0, output.slice(-6_000));
  });
}
