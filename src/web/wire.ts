/** What the pages of the web product send. They are ours: a body that does not fit is a fault of the page. */
import { z } from 'zod';
import { type RequestFaults, requestFaults } from '../contract/request-faults.ts';

const faults: RequestFaults = { order: ['invalid_web_request'], ofField: () => 'invalid_web_request' };

/** Registers the schema of a body or query with the one fault that the web product's routes have. */
export function webRequest<Schema extends z.ZodType>(schema: Schema): Schema {
  requestFaults.add(schema, faults);
  return schema;
}

const secretCharactersMax = 200;

export const signInBody = webRequest(
  z
    .object({
      token: z.string().max(secretCharactersMax).optional(),
      api_key: z.string().trim().max(secretCharactersMax).optional(),
    })
    .refine(({ token, api_key }) => (token === undefined) !== (api_key === undefined)),
);

const number = z.string().regex(/^[0-9]{1,18}$/);
const pageEntriesMax = 200;
const idsMax = 100;

export const libraryQuery = webRequest(
  z.object({
    state: z.enum(['processing', 'completed', 'failed']).optional(),
    before: number.optional(),
    limit: z.coerce.number().int().min(1).max(pageEntriesMax).default(100),
  }),
);

export const changesQuery = webRequest(
  z.object({
    after: number,
    ids: z
      .string()
      .transform((text) => (text === '' ? [] : text.split(',')))
      .pipe(z.array(z.guid()).max(idsMax))
      .default([]),
  }),
);

const nameCharactersMax = 240;

export const renameBody = webRequest(z.object({ name: z.string().max(nameCharactersMax) }));

const expiryDaysMax = 3_650;

export const keyBody = webRequest(
  z.object({
    name: z.string().trim().min(1).max(100),
    expires_in_days: z.int().min(1).max(expiryDaysMax).nullable(),
  }),
);

export const deliveriesQuery = webRequest(z.object({ subscription: z.guid().optional() }));

export const accountBody = webRequest(
  z.object({ name: z.string().trim().min(1).max(200), plan: z.string().max(32) }),
);

export const planBody = webRequest(z.object({ plan: z.string().max(32) }));

export const searchPageQuery = webRequest(
  z.object({ query: z.string().max(400), cursor: z.string().max(40).optional() }),
);
