/** Webhooks around the job flow: the event at the end of a job, and the deliveries after it. */

import type { Meter } from '@opentelemetry/api';
import type { Egress } from '../egress/egress.ts';
import type { PublicUrl } from '../http/public-url.ts';
import type { Queryable } from '../platform/database/database.ts';
import type { Announcements } from '../platform/database/notifications.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { JobTraces } from '../transcription/trace/job-traces.ts';
import type { EndedTranscription } from '../transcription/transcription.ts';
import type { SettledDelivery, Settlement } from '../webhook/delivery.ts';
import { Dispatcher } from '../webhook/dispatcher.ts';
import { keepDeliveryLog } from '../webhook/keep-delivery-log.ts';
import { recordTerminalEvent } from '../webhook/record-terminal-event.ts';
import { checkSecretKeys } from '../webhook/secret-keys.ts';
import { webhookSender } from '../webhook/send-webhook.ts';
import type { Foundation } from './foundation.ts';

export interface Webhooks {
  /** For the transaction that ends a job. */
  recordEnd(tx: Queryable, job: EndedTranscription): Promise<void>;
  /** After that transaction: what was recorded goes out now, if this process delivers. */
  afterEnd(): void;
  /** After a subscription was removed: nothing more goes to it from this process. */
  afterRemoval(subscriptionId: string): void;
  stop(): Promise<void>;
}

/** A request to a receiver gets this long to end when the service stops; then it is cut off and counts as failed. */
const graceMs = 4_000;

const notDelivering: Omit<Webhooks, 'recordEnd'> = {
  afterEnd: () => {},
  afterRemoval: () => {},
  stop: async () => {},
};

/** Counts the attempts of this process since its start, and tells their traces; every outcome is there from the beginning. */
function attemptNotes(meter: Meter, traces: JobTraces | undefined): (settled: SettledDelivery) => void {
  const counter = meter.createCounter('longhand_webhook_attempts', {
    description: 'Webhook attempts of this process since its start, by what came of them.',
  });
  const outcomes: Settlement['state'][] = ['delivered', 'retry', 'exhausted', 'gone'];
  for (const outcome of outcomes) counter.add(0, { outcome });
  return ({ delivery, settlement: { state } }) => {
    counter.add(1, { outcome: state });
    const { eventId, attempt, claimedAt } = delivery;
    traces?.delivered({ eventId, attempt, state, startedAtMs: claimedAt.getTime() });
  };
}

/** Writes the event of a job that ends. Every process with a worker needs it: it may end any account's job. */
export function eventRecorder({ config }: Foundation, publicUrl: PublicUrl): Webhooks['recordEnd'] {
  return async (tx, job) => {
    const { id, accountId, filename, status, durationSeconds } = job;
    const ended = { id, accountId, filename, status, durationSeconds };
    await recordTerminalEvent(tx, ended, { publicUrl: publicUrl.base, schedule: config.webhookSchedule });
  };
}

/**
 * Processes that have the API deliver. A pure worker opens media of strangers, so it only writes events and does
 * without the key to the signing secrets.
 */
export async function startWebhooks({
  foundation,
  egress,
  secretBox,
  publicUrl,
  meter,
  traces,
  announcements,
}: {
  foundation: Foundation;
  egress: Egress;
  secretBox: SecretBox | undefined;
  publicUrl: PublicUrl;
  meter: Meter;
  traces: JobTraces | undefined;
  announcements: Announcements;
}): Promise<Webhooks> {
  const { config, clock, logger, db } = foundation;
  const recordEnd = eventRecorder(foundation, publicUrl);
  if (config.role === 'worker') return { ...notDelivering, recordEnd };

  await checkSecretKeys({ db, secretBox, logger });
  const endLogKeeping = keepDeliveryLog({ db, clock, logger, logDays: config.webhookLogDays });
  const dispatcher = secretBox
    ? new Dispatcher({
        db,
        clock,
        logger,
        secretBox,
        send: webhookSender(egress),
        schedule: config.webhookSchedule,
        announcements,
        noteAttempt: attemptNotes(meter, traces),
      })
    : undefined;
  dispatcher?.start();
  return {
    recordEnd,
    afterEnd: () => dispatcher?.wake(),
    afterRemoval: (subscriptionId) => dispatcher?.endReceiver(subscriptionId),
    async stop() {
      endLogKeeping();
      await dispatcher?.stop(graceMs);
    },
  };
}
