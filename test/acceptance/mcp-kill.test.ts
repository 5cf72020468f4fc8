/** A task is a job: it outlives the process that started it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sendToMcp } from '../support/agent-client.ts';
import { newClient } from '../support/api-client.ts';
import { onCleanup } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { startService, testEnvironment } from '../support/service.ts';

const flac = await readFile(join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac'));
/** Answers when it is told to: until then the job is in the middle of its work. */
const release = Promise.withResolvers<void>();
const site = createServer(async (_request, response) => {
  await release.promise;
  response.writeHead(200, { 'content-type': 'audio/flac' }).end(flac);
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
const { port } = site.address() as AddressInfo;
after(() => {
  site.closeAllConnections();
  site.close();
});

const tasks = {
  _meta: {
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  },
};

test('kill -9 of the API in the middle of a task: the task goes on, and another process tells of it', async (t) => {
  const environment = await testEnvironment(t, { LONGHAND_EGRESS_ALLOW: `127.0.0.1:${port}` });
  const api = await startService(environment, ['--role', 'api']);
  onCleanup(t, () => api.stop('SIGKILL'));
  const worker = await startService(environment, ['--role', 'worker']);
  onCleanup(t, () => worker.stop());
  const owner = await newClient(api);

  const call = {
    name: 'transcribe',
    arguments: { source_url: `http://127.0.0.1:${port}/austen.flac` },
    ...tasks,
  };
  const started = await eventually(async () => {
    const { body } = await sendToMcp(owner, { method: 'tools/call', params: call });
    return body.result.resultType === 'task' ? body.result : undefined;
  }, 'a worker that takes the job');
  const taskId: string = started.taskId;
  const state = async (client: typeof owner) =>
    (await sendToMcp(client, { method: 'tasks/get', params: { taskId, ...tasks } })).body.result;
  assert.equal((await state(owner)).status, 'working');

  await api.stop('SIGKILL');
  const next = await startService(environment, ['--role', 'api']);
  onCleanup(t, () => next.stop());
  const again = owner.at(next.url);
  assert.equal((await state(again)).status, 'working');
  release.resolve();
  await again.ended(taskId);
  const ended = await state(again);
  assert.equal(ended.status, 'completed');
  assert.match(JSON.stringify(ended.result.structuredContent), /not an ill[- ]disposed young man/i);
});
