/** What every part of the webhook benchmark needs: a database, receivers, subscriptions, ended jobs, a sending process. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventType } from '../../src/contract/webhook.ts';
import { createEgress } from '../../src/egress/egress.ts';
import { parseEgressAllow } from '../../src/egress/url.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { Database } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrations.ts';
import { SecretBox } from '../../src/platform/secret-box.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import { openEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { createSubscription } from '../../src/webhook/create-subscription.ts';
import { receiverUrlCheck } from '../../src/webhook/receiver-url.ts';
import { recordTerminalEvent } from '../../src/webhook/record-terminal-event.ts';
import { defaultScheduleSetting, parseRetrySchedule } from '../../src/webhook/retry-schedule.ts';
import { principalOfId } from '../../test/support/principal.ts';
import type { ReceiverOrder, ReceiverReport } from './receiver-process.ts';
import type { BareOrder, DispatchOrder } from './sender-process.ts';

const logger = createLogger({ level: 'error', pretty: true });
const jobsPerTransaction = 100;

export interface Stage {
  db: Database;
  /** Makes an account with a subscription to each of so many receivers; the receivers forget what came before. */
  prepare(receivers: number, hanging?: number[]): Promise<Cast>;
  endJobs(accountId: string, count: number): Promise<void>;
  /** A sending process; kill it with its own `kill`. */
  startSender(): Promise<ChildProcess>;
  order(): DispatchOrder;
  bare(order: Omit<BareOrder, 'kind'>): Promise<number>;
  report(): Promise<ReceiverReport>;
  /** Pairs of receiver and event that have arrived; cheap enough to ask all the time. */
  distinct(): Promise<number>;
  /** Waits until this many pairs of receiver and event have arrived. */
  arrived(distinct: number, timeoutMs: number): Promise<ReceiverReport>;
  close(): Promise<void>;
}

export interface Cast {
  accountId: string;
  urls: string[];
  secrets: string[];
}

export async function openStage(receiversMax: number): Promise<Stage> {
  const dataDir = await mkdtemp(join(tmpdir(), 'longhand-bench-'));
  const postgres = await openEmbeddedPostgres({ dataDir, logger, clock: systemClock });
  const db = new Database({
    connectionString: postgres.connectionString,
    connectionsMax: 4,
    applicationName: 'longhand bench',
    logger,
  });
  await migrate(db, join(import.meta.dirname, '..', '..', 'migrations'), logger);
  const receiverProcess = fork(join(import.meta.dirname, 'receiver-process.ts'));
  const { ports } = (await ask(receiverProcess, { kind: 'open', receivers: receiversMax })) as {
    ports: number[];
  };
  const allow = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const secretKey = randomBytes(32).toString('base64');
  const options = {
    db,
    clock: systemClock,
    secretBox: new SecretBox([Buffer.from(secretKey, 'base64')]),
    checkReceiverUrl: receiverUrlCheck(createEgress({ allow: parseEgressAllow(allow), clock: systemClock })),
  };

  const report = async () => (await ask(receiverProcess, { kind: 'report' })) as ReceiverReport;
  const count = async () =>
    ((await ask(receiverProcess, { kind: 'count' })) as { distinct: number }).distinct;
  const startSender = async () => {
    const sender = fork(join(import.meta.dirname, 'sender-process.ts'));
    await once(sender, 'message');
    return sender;
  };

  return {
    db,
    report,
    distinct: count,
    startSender,
    order: () => ({ kind: 'dispatch', databaseUrl: postgres.connectionString, secretKey, allow }),
    async prepare(receivers, hanging = []) {
      const accountId = randomUUID();
      await db.query(`insert into account (id, name, plan) values ($1, 'bench', 'pro')`, [accountId]);
      const urls = ports.slice(0, receivers).map((port) => `http://127.0.0.1:${port}/hooks`);
      const secrets: string[] = [];
      for (const url of urls) {
        const events: EventType[] = ['transcription.completed'];
        secrets.push(
          (await createSubscription(options, principalOfId(accountId), { url, events })).signingSecret,
        );
      }
      await ask(receiverProcess, { kind: 'secrets', secrets, hanging });
      return { accountId, urls, secrets };
    },
    async endJobs(accountId, count) {
      for (let done = 0; done < count; done += jobsPerTransaction) {
        await db.transaction(async (tx) => {
          for (let job = done; job < Math.min(count, done + jobsPerTransaction); job += 1) {
            const ended = { id: randomUUID(), accountId, filename: `talk-${job}.mp3`, durationSeconds: 61 };
            await recordTerminalEvent(
              tx,
              { ...ended, status: 'completed' },
              {
                publicUrl: 'https://longhand.example.com',
                schedule: parseRetrySchedule(defaultScheduleSetting),
              },
            );
          }
        });
      }
    },
    async bare(order) {
      const sender = await startSender();
      sender.send({ kind: 'bare', ...order } satisfies BareOrder);
      const [{ ms }] = (await once(sender, 'message')) as [{ ms: number }];
      sender.kill('SIGKILL');
      return ms;
    },
    async arrived(distinct, timeoutMs) {
      const untilMs = Date.now() + timeoutMs;
      for (;;) {
        if ((await count()) >= distinct || Date.now() > untilMs) return await report();
        await systemClock.sleep(50);
      }
    },
    async close() {
      receiverProcess.kill('SIGKILL');
      await db.close();
      await postgres.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function ask(child: ChildProcess, order: ReceiverOrder): Promise<unknown> {
  const answer = once(child, 'message');
  child.send(order);
  return (await answer)[0];
}
