/** The delivering process of the webhook benchmark: the service's own dispatcher, or a bare loop of undici posts. */
import { Pool } from 'undici';
import { createEgress } from '../../src/egress/egress.ts';
import { parseEgressAllow } from '../../src/egress/url.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { Database } from '../../src/platform/database/database.ts';
import { SecretBox } from '../../src/platform/secret-box.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import { signDelivery } from '../../src/webhook/delivery.ts';
import { Dispatcher } from '../../src/webhook/dispatcher.ts';
import { defaultScheduleSetting, parseRetrySchedule } from '../../src/webhook/retry-schedule.ts';
import { webhookSender } from '../../src/webhook/send-webhook.ts';
import { signingKey } from '../../src/webhook/signature.ts';

export interface DispatchOrder {
  kind: 'dispatch';
  databaseUrl: string;
  secretKey: string;
  allow: string;
}

export interface BareOrder {
  kind: 'bare';
  posts: { url: string; eventId: string; body: string; secret: string }[];
  concurrency: number;
}

process.on('message', (order: DispatchOrder | BareOrder) => {
  if (order.kind === 'dispatch') dispatch(order);
  else void bare(order);
});
process.send?.({ kind: 'up' });

function dispatch({ databaseUrl, secretKey, allow }: DispatchOrder): void {
  const logger = createLogger({ level: 'error', pretty: true });
  const db = new Database({
    connectionString: databaseUrl,
    connectionsMax: 4,
    applicationName: 'longhand bench',
    logger,
  });
  const egress = createEgress({ allow: parseEgressAllow(allow), clock: systemClock });
  const dispatcher = new Dispatcher({
    db,
    clock: systemClock,
    logger,
    secretBox: new SecretBox([Buffer.from(secretKey, 'base64')]),
    send: webhookSender(egress),
    schedule: parseRetrySchedule(defaultScheduleSetting),
  });
  dispatcher.start();
  process.send?.({ kind: 'started' });
}

/** The same requests over kept connections, so many at a time as the dispatcher sends; nothing stored, nothing judged. */
async function bare({ posts, concurrency }: BareOrder): Promise<void> {
  const requests = posts.map(({ url, eventId, body, secret }) => {
    return signDelivery({ eventId, url, body, claimedAt: new Date() }, signingKey(secret));
  });
  const pools = new Map<string, Pool>();
  for (const { url } of requests) {
    const { origin } = new URL(url);
    if (!pools.has(origin)) pools.set(origin, new Pool(origin));
  }
  const startedMs = performance.now();
  let next = 0;
  const worker = async () => {
    for (let request = requests[next++]; request; request = requests[next++]) {
      const { origin, pathname, search } = new URL(request.url);
      const answer = await pools
        .get(origin)
        ?.request({ path: pathname + search, method: 'POST', headers: request.headers, body: request.body });
      await answer?.body.dump();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  process.send?.({ kind: 'done', ms: performance.now() - startedMs });
}
