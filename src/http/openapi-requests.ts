import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { documentedForm } from '../contract/documented-form.ts';

type Transform = typeof jsonSchemaTransform;

/** The schemas of a route as the document shows them. */
export const documentedRoute: Transform = (route) => {
  const { schema } = route;
  if (!schema) return jsonSchemaTransform(route);
  const shown = { ...schema };
  for (const part of ['body', 'querystring'] as const) {
    const given = schema[part] as z.core.$ZodType | undefined;
    if (given) shown[part] = documentedForm(given);
  }
  return jsonSchemaTransform({ ...route, schema: shown });
};
