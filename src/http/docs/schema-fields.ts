import { type Html, html } from '../html.ts';
import type { ApiDocument, Schema } from './open-api.ts';
import { prose } from './prose.ts';

/** The fields of an object, nested as they are; undefined where there are none to show. */
export function schemaFields(document: ApiDocument, reference: Schema): Html | undefined {
  const schema = shape(document, reference);
  const alternatives = alternativesOf(document, schema);
  const own = Object.entries(schema.properties ?? {}).filter(([, value]) => value.type !== 'null');
  if (own.length === 0 && alternatives.length < 2) return undefined;
  const fields = own.map(([name, value]) => field(document, name, value, schema.required?.includes(name)));
  const either =
    alternatives.length < 2
      ? undefined
      : alternatives.map(
          (one, i) =>
            html`<li class="either"><p>${i === 0 ? 'either' : 'or'} ${nameOf(document, one)}</p>${schemaFields(document, one)}</li>`,
        );
  return html`<ul class="fields">${fields}${either}</ul>`;
}

function field(document: ApiDocument, name: string, reference: Schema, isRequired = false): Html {
  const schema = shape(document, reference);
  const inner = schema.items ? shape(document, schema.items) : schema;
  const description = schema.description ?? document.resolved(reference).description;
  return html`<li><p><code>${name}</code> <span class="type">${typeText(document, reference)}</span>${
    isRequired ? html` <span class="needed">required</span>` : undefined
  }</p>${description === undefined ? undefined : html`<p class="quiet">${prose(description)}</p>`}${schemaFields(document, inner)}</li>`;
}

/** Without the null that an optional field may also be. */
function shape(document: ApiDocument, reference: Schema): Schema {
  const schema = document.resolved(reference);
  const others = alternativesOf(document, schema);
  const [only] = others;
  return others.length === 1 && only ? { ...document.resolved(only), ...described(schema) } : schema;
}

function described({ description }: Schema): Schema {
  return description === undefined ? {} : { description };
}

function alternativesOf(document: ApiDocument, schema: Schema): Schema[] {
  return (schema.oneOf ?? schema.anyOf ?? []).filter((one) => document.resolved(one).type !== 'null');
}

/** An alternative by its title, or by the constant that tells it from the others, or by its name in the document. */
function nameOf(document: ApiDocument, reference: Schema): Html {
  const { title, properties = {} } = document.resolved(reference);
  if (title !== undefined) return html`${title.toLowerCase()}`;
  const tag = Object.entries(properties).find(([, value]) => value.const !== undefined);
  if (tag) return html`<code>${tag[0]}: ${JSON.stringify(tag[1].const)}</code>`;
  return html`${reference.$ref?.split('/').at(-1)}`;
}

function typeText(document: ApiDocument, reference: Schema): string {
  const whole = document.resolved(reference);
  const schema = shape(document, reference);
  const isNullable =
    [whole.type].flat().includes('null') ||
    (whole.anyOf ?? whole.oneOf ?? []).some((one) => one.type === 'null');
  const alternatives = alternativesOf(document, schema);
  const base =
    alternatives.length > 1 && !schema.properties
      ? alternatives.map((one) => bareType(document, one)).join(' or ')
      : bareType(document, schema);
  return [isNullable && base !== 'null' ? `${base} or null` : base, ...rules(schema)].join(', ');
}

function bareType(document: ApiDocument, reference: Schema): string {
  const schema = document.resolved(reference);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (schema.items) return `array of ${bareType(document, shape(document, schema.items))}`;
  if (schema.format === 'uuid' || schema.format === 'date-time' || schema.format === 'uri')
    return schema.format;
  return (
    [schema.type ?? 'object']
      .flat()
      .filter((one) => one !== 'null')
      .join(' or ') || 'null'
  );
}

function rules({
  minimum,
  maximum,
  exclusiveMinimum,
  minLength,
  maxLength,
  default: preset,
}: Schema): string[] {
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return [
    exclusiveMinimum === 0 ? 'positive' : '',
    minimum !== undefined && isBounded ? `${minimum} to ${maximum}` : '',
    maxLength === undefined
      ? ''
      : `${minLength ? `${minLength} to` : 'up to'} ${maxLength.toLocaleString('en')} characters`,
    preset === undefined ? '' : `default ${JSON.stringify(preset)}`,
  ].filter((rule) => rule !== '');
}
