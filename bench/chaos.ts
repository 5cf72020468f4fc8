/** `npm run chaos -- --seed N --minutes M`: jobs on a small fleet while a seeded script breaks it; then the proof. */

import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { accountStore } from '../src/account/account-store.ts';
import { createApiKey } from '../src/account/create-api-key.ts';
import { builtInPlans, parsePlanTable } from '../src/account/plan.ts';
import { operatorFor } from '../src/account/principal.ts';
import { systemClock } from '../src/platform/clock.ts';
import { Database } from '../src/platform/database/database.ts';
import { createLogger } from '../src/platform/telemetry/telemetry.ts';
import type { Hooks } from '../test/support/cleanup.ts';
import { Random } from '../test/support/random.ts';
import { openReceiver } from '../test/support/webhook-receiver.ts';
import { checked, untilQuiet } from './chaos/checker.ts';
import { faultsUntil } from './chaos/faults.ts';
import { type ChaosFleet, openChaosFleet } from './chaos/fleet.ts';
import { type ChaosAccount, heardBy, patiently, sendJobs } from './chaos/load.ts';
import type { Benchmark } from './run.ts';

const logger = createLogger({ level: 'silent', pretty: false });
const quietWithinMs = 10 * 60_000;

export async function run(args: string[]): Promise<Benchmark> {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '30' },
      jobs: { type: 'string', default: '500' },
      accounts: { type: 'string', default: '3' },
    },
  });
  const undo: (() => Promise<void>)[] = [];
  const hooks: Hooks = { after: (work) => void undo.push(work) };
  try {
    return await chaos(hooks, {
      seed: Number(values.seed),
      minutes: Number(values.minutes),
      jobsMax: Number(values.jobs),
      accounts: Number(values.accounts),
    });
  } finally {
    for (const work of undo.toReversed()) await work();
  }
}

interface ChaosOptions {
  seed: number;
  minutes: number;
  jobsMax: number;
  accounts: number;
}

async function chaos(hooks: Hooks, options: ChaosOptions): Promise<Benchmark> {
  const receiver = await openReceiver(hooks);
  const allowed = { LONGHAND_EGRESS_ALLOW: receiver.target, LONGHAND_WEBHOOK_SCHEDULE: '0,1,2,5,10,20,40' };
  const fleet = await openChaosFleet(hooks, allowed, { apis: 2, workers: 3 });
  const db = new Database({
    connectionString: fleet.databaseUrl,
    connectionsMax: 2,
    applicationName: 'chaos',
    logger,
  });
  try {
    const random = (part: number) => new Random(options.seed * 1_000 + part);
    await untilReady(fleet, random(0));
    const accounts = await openAccounts(fleet, db, random(0), options.accounts, receiver.url);
    const startedAtMs = Date.now();
    const endsAtMs = startedAtMs + options.minutes * 60_000;
    // Drawn evenly up to here, so that the last job is sent when nine tenths of the time are over.
    const betweenMs = 2 * 0.9 * ((options.minutes * 60_000) / options.jobsMax) * options.accounts;
    const [faults, ...jobs] = await Promise.all([
      faultsUntil(fleet, random(1), { endsAtMs, betweenMs: 3_000 }),
      ...accounts.map((account, index) =>
        sendJobs(fleet, account, random(2 + index), {
          endsAtMs,
          jobsMax: Math.ceil(options.jobsMax / options.accounts),
          betweenMs,
        }),
      ),
    ]);
    const sent = jobs.flat();
    const isQuiet = await untilQuiet(db, quietWithinMs);
    const tookSeconds = (Date.now() - startedAtMs) / 1000;
    const heard = heardBy(receiver, accounts);
    const verdict = await checked(fleet, db, random(99), { sent, heard });
    for (const line of Object.values(verdict).flat()) console.log(line);
    const seed = `seed ${options.seed}, ${options.minutes} min`;
    return {
      title: `Chaos, ${seed}`,
      rows: [
        { figure: 'jobs acknowledged', value: String(sent.length) },
        { figure: 'faults', value: String(faults.length) },
        { figure: 'events heard, repeats included', value: String(heard.length) },
        {
          figure: 'quiet again after',
          value: `${tookSeconds.toFixed(0)} s`,
          bar: 'in the end',
          passed: isQuiet,
        },
        ...Object.entries(verdict).map(([figure, found]) => ({
          figure,
          value: String(found.length),
          bar: '0',
          passed: found.length === 0,
        })),
      ],
    };
  } finally {
    await db.close();
  }
}

async function untilReady(fleet: ChaosFleet, random: Random): Promise<void> {
  for (let tries = 0; tries < 240; tries += 1) {
    const api = random.pick(fleet.members.filter(({ role }) => role === 'api'));
    const ready = await fetch(`${api.url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return;
    await delay(500);
  }
  throw new Error('the fleet was not ready in time');
}

async function openAccounts(
  fleet: ChaosFleet,
  db: Database,
  random: Random,
  count: number,
  receiverUrl: string,
): Promise<ChaosAccount[]> {
  const store = accountStore(parsePlanTable(builtInPlans));
  const accounts: ChaosAccount[] = [];
  for (let number = 1; number <= count; number += 1) {
    const account = await store.create(db, { name: `chaos ${number}`, plan: 'pro' });
    const { key } = await createApiKey({ db, clock: systemClock }, operatorFor(account), {
      name: 'chaos',
      validMs: null,
    });
    const body = { url: receiverUrl, events: ['transcription.completed', 'transcription.failed'] };
    const { data } = await patiently(fleet, random, '/api/v1/webhook-subscriptions', { key, body });
    accounts.push({ id: account.id, key, secret: data.signing_secret });
  }
  return accounts;
}
