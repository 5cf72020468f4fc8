import type { z } from 'zod';

const documentedForms = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/**
 * Says how the document shows a request whose schema is laxer than the interface, so that faults are judged in the
 * operation's written order instead of the schema's.
 */
export function documentedAs<Schema extends z.core.$ZodType>(form: z.core.$ZodType, schema: Schema): Schema {
  documentedForms.set(schema, form);
  return schema;
}

export function documentedForm(schema: z.core.$ZodType): z.core.$ZodType {
  return documentedForms.get(schema) ?? schema;
}
