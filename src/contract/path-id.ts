import { z } from 'zod';
import { requestFaults } from './request-faults.ts';

/** The id in a path. One that is no uuid names nothing, like an unknown one. */
export const pathId = z
  .object({ id: z.guid() })
  .register(requestFaults, { order: ['not_found'], ofField: () => 'not_found' });
