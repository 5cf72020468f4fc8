import type { Egress } from '../egress/egress.ts';
import type { HealthDeps } from '../http/health-routes.ts';
import type { PublicUrl } from '../http/public-url.ts';
import type { Announcements } from '../platform/database/notifications.ts';
import type { TaskQueue } from '../platform/queue/queue.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Metrics } from '../platform/telemetry/metrics.ts';
import type { Traces } from '../platform/telemetry/traces.ts';
import type { JobNotes } from '../transcription/trace/job-notes.ts';
import type { Foundation } from './foundation.ts';
import type { Storage } from './processing.ts';
import type { Webhooks } from './webhooks.ts';

/** What the protocols of this process are served by. */
export interface ApiParts {
  foundation: Foundation;
  storage: Storage;
  queue: TaskQueue;
  egress: Egress;
  secretBox: SecretBox | undefined;
  webhooks: Pick<Webhooks, 'afterRemoval' | 'recordEnd' | 'afterEnd'>;
  metrics: Metrics;
  traces: Traces | undefined;
  publicUrl: PublicUrl;
  announcements: Announcements;
  missing: HealthDeps['missing'];
  notes: JobNotes;
}
