import { z } from 'zod';
import { type RequestFaults, requestFaults } from '../request-faults.ts';
import { requestText } from '../request-text.ts';

const faults: RequestFaults = { order: ['invalid_web_request'], ofField: () => 'invalid_web_request' };

/**
 * Registers the schema of a body or query with the one fault that the web product's routes have. Its pages are ours: a
 * body that does not fit is a fault of the page.
 */
export function webRequest<Schema extends z.ZodType>(schema: Schema): Schema {
  requestFaults.add(schema, faults);
  return schema;
}

/** The names in a path. One that does not fit names nothing, like an unknown one. */
export function webPath<Schema extends z.ZodType>(schema: Schema): Schema {
  requestFaults.add(schema, { order: ['not_found'], ofField: () => 'not_found' });
  return schema;
}

/** PostgreSQL's texts hold everything but this one character. */
export function storableText(charactersMax: number) {
  return requestText(charactersMax).refine((text) => !text.includes('\0'));
}

/** A number in a query, in decimal digits. */
export function queryInt(least: number, most: number) {
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text),
    z.int().min(least).max(most),
  );
}

/** Ten hours are a tenth of it. */
export const msMax = 360_000_000;

/** The id of a line of a transcript. */
export const lineId = z.string().regex(/^[a-z0-9-]{1,40}$/);
