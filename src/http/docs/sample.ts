import type { ApiDocument, Content, Schema } from './open-api.ts';

/** The example that a body or an answer brings along, or one put together from its schema. */
export function sampleOf(document: ApiDocument, content: Content): unknown {
  if (content.example !== undefined) return content.example;
  const [first] = Object.values(content.examples ?? {});
  if (first) return document.resolved(first).value;
  return content.schema ? sampleOfSchema(document, content.schema) : undefined;
}

function sampleOfSchema(document: ApiDocument, reference: Schema, name = 'text'): unknown {
  const schema = document.resolved(reference);
  const given = [schema.example, schema.examples?.[0], schema.const, schema.default, schema.enum?.[0]];
  const known = given.find((value) => value !== undefined);
  if (known !== undefined) return known;
  const [alternative] = schema.oneOf ?? schema.anyOf ?? [];
  if (alternative) return sampleOfSchema(document, alternative, name);
  if (schema.items) return [sampleOfSchema(document, schema.items, name)];
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, value]) => [key, sampleOfSchema(document, value, key)]),
    );
  }
  return sampleOfType([schema.type].flat()[0], schema.format) ?? `<${name}>`;
}

/** Undefined for a text that only the caller knows. */
function sampleOfType(type: string | undefined, format: string | undefined): unknown {
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return false;
  if (type === 'object') return {};
  if (format === 'uuid') return '0d4c5a3e-6a0b-4d6c-9a52-0f6c0f3f7c11';
  if (format === 'date-time') return '2026-11-15T09:30:00.000Z';
  if (format === 'uri') return 'https://example.com/';
  return undefined;
}
