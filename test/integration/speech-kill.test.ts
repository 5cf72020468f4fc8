/** A real speech process is killed in the middle of a job. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { newClient } from '../support/api-client.ts';
import { childProcesses, processorTicks } from '../support/child-processes.ts';
import { withConnection } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { runService, temporaryDataDir } from '../support/service.ts';

const path = '/api/v1/transcriptions';
const hooks = { after };
const service = await runService(hooks, { LONGHAND_WORKERS: '1', LONGHAND_LOG_LEVEL: 'warn' });

/** A minute: three chunks. */
async function recording(): Promise<string> {
  const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-870.flac');
  const file = join(await temporaryDataDir(hooks), 'long.flac');
  const loop = ['-stream_loop', '10', '-i', austen, '-t', '60', '-y', file];
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-nostdin', ...loop]);
  return file;
}

async function chunks(id: string): Promise<{ total: number | null; left: number | null }> {
  const { rows } = await withConnection(service.environment.LONGHAND_DATABASE_URL ?? '', (db) =>
    db.query('select chunks_total as total, chunks_left as left from transcription where id = $1', [id]),
  );
  return rows[0];
}

test('a speech process that is killed while it recognises costs its chunk a try; the text is the same', async () => {
  const client = await newClient(service);
  const upload = await client.uploadFile(await recording());
  const create = async () => (await client.post(path, { upload })).body.data.id;
  const undisturbed = (await client.ended(await create())).body.data;
  assert.equal(undisturbed.status, 'completed');

  const id = await create();
  await eventually(async () => {
    const { total, left } = await chunks(id);
    return total !== null && left !== null && left < total && left > 0;
  }, 'a chunk that is done while others wait');
  const [speechProcess = Number.NaN] = childProcesses(
    service.process.pid ?? Number.NaN,
    'speech-process-main',
  );
  // It is between two chunks: a quarter of a second of work later it is in the middle of one.
  const ticks = processorTicks(speechProcess);
  await eventually(() => processorTicks(speechProcess) >= ticks + 25, 'the next chunk to be recognised');
  process.kill(speechProcess, 'SIGKILL');

  const { status, text, segments } = (await client.ended(id)).body.data;
  assert.equal(status, 'completed');
  assert.equal(text, undisturbed.text);
  assert.deepEqual(segments, undisturbed.segments);
  assert.match(service.log(), /the speech process was ended by SIGKILL/);
  assert.match(service.log(), /"step":"recognise".*a step failed and is tried again later/);
});
