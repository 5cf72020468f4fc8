/** A bare fastify server with the same statements, prepared: no schema, no checks, no log. The limit of what is possible. */
import { randomUUID } from 'node:crypto';
import { fastify } from 'fastify';
import { apiKeyHash } from '../../src/account/api-key.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { Database, hotQuery } from '../../src/platform/database/database.ts';
import { TaskQueue } from '../../src/platform/queue/queue.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import { admissionStore } from '../../src/transcription/admission/admission-store.ts';
import { stepQueues } from '../../src/transcription/step/steps.ts';

const [databaseUrl = '', port = '0'] = process.argv.slice(2);
const logger = createLogger({ level: 'error', pretty: false });
const db = new Database({
  connectionString: databaseUrl,
  connectionsMax: 20,
  applicationName: 'bare',
  logger,
});
const queue = await TaskQueue.open({
  db,
  queues: Object.values(stepQueues),
  clock: systemClock,
  logger,
  pollMs: 60_000,
});
const server = fastify();
const summary =
  'id, account_id, filename, status, stage, source, options, created_at, duration_seconds, audio, chunks_total, error';

async function accountOf(authorization: string | undefined): Promise<string> {
  const [row] = await db.prepared<{ id: string }>(
    'bare_key',
    `select account.id, account.name, account.plan, account.created_at, key.id as key_id, key.last_used_at,
       key.expires_at, key.revoked_at
     from api_key key join account on account.id = key.account_id
     where key.hash = $1 and account.deleted_at is null`,
    [apiKeyHash(authorization?.slice(7) ?? '')],
  );
  if (!row) throw new Error('no such key');
  return row.id;
}

server.get('/api/v1/transcriptions', async (request) => {
  const account = await accountOf(request.headers.authorization);
  const data = await db.prepared(
    'bare_list',
    `select ${summary} from transcription where account_id = $1 order by number desc limit 25`,
    [account],
  );
  return { data };
});
server.get<{ Params: { id: string } }>('/api/v1/transcriptions/:id', async (request) => {
  const account = await accountOf(request.headers.authorization);
  const [data] = await db.prepared(
    'bare_get',
    `select ${summary}, text, segments from transcription where id = $1 and account_id = $2`,
    [request.params.id, account],
  );
  return { data };
});
server.post<{ Body: { source_url: string } }>('/api/v1/transcriptions', async (request, reply) => {
  const account = await accountOf(request.headers.authorization);
  const source = { kind: 'url', url: request.body.source_url };
  const day = new Date().toISOString().slice(0, 10);
  await db.prepared(
    'bare_used',
    'select transcriptions from daily_usage where account_id = $1 and day = $2',
    [account, day],
  );
  await db.prepared(
    'bare_worker',
    `select 1 from worker where heard_at > now() - interval '30 s' limit 1`,
    [],
  );
  const data = await db.transaction(async (tx) => {
    const [row] = await hotQuery<{ id: string }>(
      tx,
      'bare_insert',
      `insert into transcription (id, account_id, filename, source, options, allowance_day)
       values ($1, $2, 'link', $3, '{}', $4) returning ${summary}`,
      [randomUUID(), account, source, day],
    );
    await hotQuery(
      tx,
      'bare_take',
      `insert into daily_usage as usage (account_id, day, transcriptions) values ($1, $2, 1)
       on conflict (account_id, day) do update set transcriptions = usage.transcriptions + 1
       where usage.transcriptions < $3 returning transcriptions`,
      [account, day, 1_000_000],
    );
    const locked = await admissionStore.lockAccount(tx, account);
    const admitted = await admissionStore.admitNext(tx, account, 1_000);
    const tasks = admitted.map(({ id }) => ({ data: { transcriptionId: id }, lane: locked?.lane ?? 0 }));
    await queue.send(tx, stepQueues.fetch.name, tasks);
    return row;
  });
  reply.code(202);
  return { data };
});
await server.listen({ host: '127.0.0.1', port: Number(port) });
process.send?.('ready');
