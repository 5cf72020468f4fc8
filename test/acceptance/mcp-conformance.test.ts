/** The conformance suite on the product itself: every scenario that needs no fixture tools. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { runConformance } from '../support/conformance-suite.ts';
import { startKeyProxy } from '../support/key-proxy.ts';
import { runService } from '../support/service.ts';

const service = await runService({ after });
const url = await startKeyProxy({ after }, await newClient(service));

const scenarios = {
  '2026-07-28': [
    'tools-list',
    'resources-list',
    'dns-rebinding-protection',
    'sep-2164-resource-not-found',
    'http-header-validation',
  ],
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'],
};

for (const [revision, names] of Object.entries(scenarios)) {
  for (const name of names) {
    test(`${revision}: ${name}`, async (t) => {
      const { code, output } = await runConformance(t, [
        '--url',
        `${url}/mcp`,
        '--scenario',
        name,
        '--spec-version',
        revision,
      ]);
      assert.equal(code, 0, output.slice(-6_000));
    });
  }
}
