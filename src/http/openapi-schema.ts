export interface JsonSchema {
  $ref?: string;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  examples?: unknown[];
  additionalProperties?: unknown;
  [keyword: string]: unknown;
}

/**
 * A schema as the document shows it. Objects stay open, because v1 grows; what only repeats a format or the range of
 * JavaScript's integers is left out.
 */
export function openSchema(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) =>
    isSchemaObject(value) ? opened(value) : value,
  );
}

function isSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function opened(schema: JsonSchema): JsonSchema {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (typeof schema.format === 'string') delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  return schema;
}
