/** `npm run bench -- webhooks`: speed, loss and repeats under kills, one receiver that hangs, attacks. */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { eventBody } from '../src/contract/webhook.ts';
import { createEgress } from '../src/egress/egress.ts';
import { nothingAllowed } from '../src/egress/url.ts';
import { systemClock } from '../src/platform/clock.ts';
import { defaultSlotLimits } from '../src/webhook/delivery-slots.ts';
import { receiverUrlCheck } from '../src/webhook/receiver-url.ts';
import { webhookSender } from '../src/webhook/send-webhook.ts';
import { attackedNames, receiverUrlAttacks } from '../test/fixtures/receiver-url-attacks.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { openStage, type Stage } from './webhook/stage.ts';

export async function run(args: string[]): Promise<Benchmark> {
  const parts: Record<string, (stage: Stage) => Promise<BenchmarkRow[]>> = { speed, kills, hanging, attacks };
  const wanted = args.length > 0 ? args : Object.keys(parts);
  const rows: BenchmarkRow[] = [];
  for (const part of wanted) {
    const stage = await openStage(20);
    try {
      rows.push(...((await parts[part]?.(stage)) ?? []));
    } finally {
      await stage.close();
    }
  }
  return { title: 'Webhook deliveries', rows };
}

async function speed(stage: Stage): Promise<BenchmarkRow[]> {
  const events = 10_000;
  const receivers = 2;
  const total = events * receivers;
  // Before and after, because the machine is not the same from one minute to the next.
  const before = await bareLoop(stage, receivers, events);
  const { accountId } = await stage.prepare(receivers);
  await stage.endJobs(accountId, events);
  const sender = await stage.startSender();
  const startedMs = performance.now();
  sender.send(stage.order());
  const report = await stage.arrived(total, 180_000);
  const ours = (total / (performance.now() - startedMs)) * 1_000;
  await allSettled(stage);
  await end(sender);
  const after = await bareLoop(stage, receivers, events);
  const bare = (before + after) / 2;
  return [
    {
      figure: '10,000 events × 2 subscriptions: lost, refused by the reference library',
      value: `${total - report.distinct}, ${report.refused}`,
      bar: '0, 0',
      passed: report.distinct === total && report.refused === 0,
    },
    {
      figure: 'deliveries per second, beside a bare loop of undici posts (before, after)',
      value: `${ours.toFixed(0)} / ${bare.toFixed(0)} (${before.toFixed(0)}, ${after.toFixed(0)}) = ${(ours / bare).toFixed(2)}`,
      bar: '≥ 0.20',
      passed: ours / bare >= 0.2,
    },
  ];
}

/** Posts per second of the same payloads, signed beforehand, to the same receivers, so many at once as we send. */
async function bareLoop(stage: Stage, receivers: number, events: number): Promise<number> {
  const cast = await stage.prepare(receivers);
  const posts = Array.from({ length: events }, () => {
    const eventId = randomUUID();
    const transcriptionId = randomUUID();
    const body = eventBody({
      id: eventId,
      type: 'transcription.completed',
      createdAt: systemClock.date(),
      transcriptionId,
      filename: 'talk.mp3',
      durationSeconds: 61,
      resourceUrl: `https://longhand.example.com/api/v1/transcriptions/${transcriptionId}`,
    });
    return cast.urls.map((url, index) => ({ url, eventId, body, secret: cast.secrets[index] ?? '' }));
  }).flat();
  const ms = await stage.bare({ posts, concurrency: receivers * defaultSlotLimits.perReceiverMax });
  const { distinct } = await stage.report();
  if (distinct !== posts.length) throw new Error(`the bare loop lost ${posts.length - distinct} posts`);
  return (posts.length / ms) * 1_000;
}

async function kills(stage: Stage): Promise<BenchmarkRow[]> {
  const rows: BenchmarkRow[] = [];
  rows.push(await killRun(stage, { events: 2_000, queue: 'as jobs end (80 per second)' }));
  rows.push(await killRun(stage, { events: 2_000, queue: 'from a full queue' }));
  rows.push(await killRun(stage, { events: 20_000, queue: 'from a full queue' }));
  return rows;
}

async function killRun(
  stage: Stage,
  { events, queue }: { events: number; queue: string },
): Promise<BenchmarkRow> {
  const killCount = 30;
  const { accountId } = await stage.prepare(1);
  const full = queue.includes('full');
  const producing = full ? await stage.endJobs(accountId, events) : produce(stage, accountId, events, 80);
  let killed = 0;
  while (killed < killCount) {
    const sender = await stage.startSender();
    const before = await stage.distinct();
    sender.send(stage.order());
    await once(sender, 'message');
    // From a full queue each life gets a random share of it; otherwise a random time.
    if (full) await grown(stage, before + Math.random() * ((1.5 * events) / killCount));
    else await systemClock.sleep(100 + Math.random() * 600);
    await end(sender);
    killed += 1;
  }
  await producing;
  const last = await stage.startSender();
  last.send(stage.order());
  const report = await stage.arrived(events, 120_000);
  await allSettled(stage);
  const final = await stage.report();
  await end(last);
  const duplicates = final.verified - final.distinct;
  return {
    figure: `${killed} × kill −9 during ${events.toLocaleString('en')} events ${queue}: lost, changed on repeat, duplicates`,
    value: `${events - report.distinct}, ${final.changed}, ${duplicates} (${((duplicates / events) * 100).toFixed(1)} %)`,
    bar: '0, 0, < 5 %',
    passed: report.distinct === events && final.changed === 0 && duplicates / events < 0.05,
  };
}

async function produce(stage: Stage, accountId: string, events: number, perSecond: number): Promise<void> {
  const startedMs = performance.now();
  for (let done = 0; done < events; done += 1) {
    await stage.endJobs(accountId, 1);
    const dueMs = startedMs + (done / perSecond) * 1_000;
    if (dueMs > performance.now()) await systemClock.sleep(dueMs - performance.now());
  }
}

async function grown(stage: Stage, distinct: number): Promise<void> {
  const untilMs = Date.now() + 3_000;
  while (Date.now() < untilMs && (await stage.distinct()) < distinct) await systemClock.sleep(1);
}

async function hanging(stage: Stage): Promise<BenchmarkRow[]> {
  const without = await delaysOfOthers(stage, []);
  const withHanging = await delaysOfOthers(stage, [0]);
  const ratio = withHanging.p99 / without.p99;
  return [
    {
      figure: 'p99 delay of 19 receivers while the 20th hangs, and without it',
      value: `${withHanging.p99.toFixed(0)} ms / ${without.p99.toFixed(0)} ms = ${ratio.toFixed(2)} (${withHanging.count} and ${without.count} deliveries)`,
      bar: '< 2',
      passed: ratio < 2,
    },
  ];
}

async function delaysOfOthers(stage: Stage, hangs: number[]): Promise<{ p99: number; count: number }> {
  const receivers = 20;
  const events = 600;
  const { accountId } = await stage.prepare(receivers, hangs);
  const sender = await stage.startSender();
  sender.send(stage.order());
  await once(sender, 'message');
  await produce(stage, accountId, events, 20);
  const report = await stage.arrived((receivers - hangs.length) * events, 60_000);
  await end(sender);
  await stage.db.query('truncate webhook_subscription, webhook_event cascade');
  const delays = report.delaysMs
    .slice(1)
    .flat()
    .toSorted((a, b) => a - b);
  return { p99: delays[Math.floor(delays.length * 0.99)] ?? Number.NaN, count: delays.length };
}

async function attacks(): Promise<BenchmarkRow[]> {
  const dialled: string[] = [];
  const egress = createEgress({
    allow: nothingAllowed,
    clock: systemClock,
    resolve: async (host) => {
      const addresses = attackedNames[host];
      if (!addresses) throw new Error('ENOTFOUND');
      return addresses;
    },
    dial: (address) => {
      dialled.push(address);
      return Promise.reject(new Error('not in a benchmark'));
    },
  });
  const check = receiverUrlCheck(egress);
  const send = webhookSender(egress);
  const urls = Object.values(receiverUrlAttacks).flat();
  let accepted = 0;
  for (const url of urls) {
    if ((await check(url)) !== undefined) accepted += 1;
    // A subscription that slipped in all the same meets the same judgement at the connection.
    if (typeof url === 'string') {
      const request = { url, headers: {}, body: Buffer.from('{}') };
      await send(request, new AbortController().signal);
    }
  }
  const outside = dialled.filter((address) => address !== '93.184.215.14');
  return [
    {
      figure: `${urls.length} URLs that lead inside or break a rule: accepted, private addresses dialled`,
      value: `${accepted}, ${outside.length}`,
      bar: '0, 0',
      passed: accepted === 0 && outside.length === 0,
    },
  ];
}

async function allSettled(stage: Stage): Promise<void> {
  const untilMs = Date.now() + 60_000;
  for (;;) {
    const [row] = await stage.db.query<{ open: number }>(
      `select count(*)::int as open from webhook_delivery where state in ('pending', 'sending')`,
    );
    if (row?.open === 0 || Date.now() > untilMs) return;
    await systemClock.sleep(100);
  }
}

async function end(sender: ChildProcess): Promise<void> {
  const ended = once(sender, 'exit');
  sender.kill('SIGKILL');
  await ended;
}
