/** A process that delivers webhooks from a database, to be killed by a test. */
import { createEgress } from '../../src/egress/egress.ts';
import { parseEgressAllow } from '../../src/egress/url.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { Database } from '../../src/platform/database/database.ts';
import { SecretBox } from '../../src/platform/secret-box.ts';
import { Dispatcher } from '../../src/webhook/dispatcher.ts';
import { defaultScheduleSetting, parseRetrySchedule } from '../../src/webhook/retry-schedule.ts';
import { webhookSender } from '../../src/webhook/send-webhook.ts';
import { silentLogger } from './silent-logger.ts';

export interface DispatcherOrder {
  connectionString: string;
  /** Base64. */
  secretKey: string;
  allow: string;
}

process.once('message', ({ connectionString, secretKey, allow }: DispatcherOrder) => {
  new Dispatcher({
    db: new Database({ connectionString, connectionsMax: 4, applicationName: 'test', logger: silentLogger }),
    clock: systemClock,
    logger: silentLogger,
    secretBox: new SecretBox([Buffer.from(secretKey, 'base64')]),
    send: webhookSender(createEgress({ allow: parseEgressAllow(allow), clock: systemClock })),
    schedule: parseRetrySchedule(defaultScheduleSetting),
    random: () => 0.5,
  }).start();
});
