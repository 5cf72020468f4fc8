/** Every statement of the specification, in its order. */
import { decided } from './decided.ts';
import { errors } from './errors.ts';
import { authentication, events } from './events.ts';
import { jobEndpoints } from './job-endpoints.ts';
import { limits, versioning } from './limits.ts';
import { resources } from './resources.ts';
import { conventions, service } from './service.ts';
import type { Section } from './statement.ts';
import { states } from './states.ts';
import { uploadEndpoints } from './upload-endpoints.ts';

export const sections: readonly Section[] = [
  service,
  conventions,
  ...resources,
  ...states,
  ...uploadEndpoints,
  ...jobEndpoints,
  authentication,
  events,
  errors,
  limits,
  versioning,
  decided,
];
