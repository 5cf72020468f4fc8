/** Values for a JSON Schema: such that fit, and such that somebody might send instead. */
import type { Random } from './random.ts';

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  format?: string;
  examples?: unknown[];
  [keyword: string]: unknown;
}

export interface ValueSource {
  random: Random;
  /** Values that are of use in a field of that name, such as ids that the service gave out. */
  known: ReadonlyMap<string, readonly unknown[]>;
  /** Schemas by the last part of their `$ref`. */
  schemas: Record<string, JsonSchema>;
}

const strangeTexts = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  'a\udc00b',
  '\u202e.mp3',
  '💥'.repeat(300),
  'x'.repeat(10_000),
  "'; drop table account; --",
  '../../etc/passwd',
  '%00%0a',
  '{"a":1}',
  'null',
  '__proto__',
  'https://',
  'https://@example.com/',
  'http://10.0.0.1/a.mp3',
  'file:///etc/passwd',
  'https://[::1]/',
  'a.mp3',
  'list.m3u8',
  'text/html; charset=utf-8',
];

const strangeNumbers = [0, -0, -1, 0.5, 1, 2, 25, 100, 101, 2 ** 31, 2 ** 53, 2 ** 63, 1e308, -1e308, 5e-324];

export function strangeValue(random: Random, depth = 0): unknown {
  const kind = random.integer(0, depth > 2 ? 4 : 6);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.pick(strangeNumbers);
  if (kind <= 4) return strangeText(random);
  const values = Array.from({ length: random.integer(0, 3) }, () => strangeValue(random, depth + 1));
  return kind === 5 ? values : Object.fromEntries(values.map((value) => [strangeText(random), value]));
}

export function strangeText(random: Random): string {
  if (random.chance(0.6)) return random.pick(strangeTexts);
  const length = random.integer(1, 30);
  return String.fromCodePoint(
    ...Array.from({ length }, () => random.pick([random.integer(1, 127), random.integer(0, 0x10ffff)])),
  );
}

/** Fits the schema as far as it is described; `format: uri` comes from the known values of its field. */
export function fittingValue(schema: JsonSchema, source: ValueSource, field = ''): unknown {
  const { random, known, schemas } = source;
  if (schema.$ref) return fittingValue(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, source, field);
  if (schema.anyOf) return fittingValue(random.pick(schema.anyOf), source, field);
  const useful = known.get(field);
  if (useful?.length && random.chance(0.7)) return random.pick(useful);
  if (schema.enum) return random.pick(schema.enum);
  if (schema.examples && random.chance(0.5) && schema.format !== 'uri') return random.pick(schema.examples);
  switch (random.pick([schema.type].flat())) {
    case 'object':
      return fittingObject(schema, source);
    case 'array':
      return Array.from({ length: random.integer(schema.minItems ?? 0, schema.maxItems ?? 3) }, () =>
        fittingValue(schema.items ?? {}, source),
      );
    case 'integer':
    case 'number':
      return fittingNumber(schema, random);
    case 'boolean':
      return random.chance(0.3);
    case 'null':
      return null;
    default:
      return fittingText(schema, random);
  }
}

function fittingObject({ properties = {}, required = [] }: JsonSchema, source: ValueSource): object {
  const chosen = Object.entries(properties).filter(
    ([name]) => required.includes(name) || source.random.chance(0.5),
  );
  return Object.fromEntries(chosen.map(([name, schema]) => [name, fittingValue(schema, source, name)]));
}

function fittingNumber({ minimum, maximum, exclusiveMinimum }: JsonSchema, random: Random): number {
  const low = minimum ?? (exclusiveMinimum ?? 0) + 1;
  return random.integer(low, Math.min(maximum ?? 10 ** random.integer(1, 12), Number.MAX_SAFE_INTEGER));
}

function fittingText({ minLength = 0, maxLength = 30 }: JsonSchema, random: Random): string {
  const length = random.chance(0.1)
    ? maxLength
    : random.integer(Math.max(minLength, 1), Math.min(maxLength, 30));
  return Array.from({ length }, () => random.pick([...'abcXYZ019.-_/é文🎙'])).join('');
}

/** The same value with one place changed: a field left out, of another kind, or one more than there should be. */
export function distorted(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.1)) return strangeValue(random);
  if (Array.isArray(value)) {
    if (value.length === 0) return [strangeValue(random)];
    const at = random.integer(0, value.length - 1);
    return value.map((item, index) => (index === at ? distorted(item, random) : item));
  }
  const names = Object.keys(value);
  if (names.length === 0 || random.chance(0.1))
    return { ...value, [strangeText(random)]: strangeValue(random) };
  const name = random.pick(names);
  const { [name]: inner, ...others } = value as Record<string, unknown>;
  return random.chance(0.25) ? others : { ...others, [name]: distorted(inner, random) };
}
