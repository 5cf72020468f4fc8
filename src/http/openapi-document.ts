import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { documentedForm } from '../contract/documented-form.ts';
import { answeredHeaders, componentHeaders, protocolAnswer, protocolAnswerName } from './openapi-answers.ts';
import { type JsonSchema, openSchema } from './openapi-schema.ts';

interface Operation {
  security?: unknown[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
}

interface Media {
  schema: JsonSchema;
}

interface Response {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    headers?: object;
    responses?: Record<string, object>;
  };
}

const schemasPath = '#/components/schemas/';

/** The schemas of a route as the document shows them. */
export const documentedRoute: typeof jsonSchemaTransform = (route) => {
  if (!route.schema) return jsonSchemaTransform(route);
  const schema = { ...route.schema };
  for (const part of ['body', 'querystring'] as const) {
    if (schema[part]) schema[part] = documentedForm(schema[part] as z.core.$ZodType);
  }
  return jsonSchemaTransform({ ...route, schema });
};

/** The whole document, with what holds for every operation: headers, answers of the protocol, examples, open objects. */
export const documentedWhole: typeof jsonSchemaTransformObject = (input) => {
  const generated = jsonSchemaTransformObject(input);
  const document = withoutUnusedSchemas(generated) as unknown as Document;
  const { schemas } = document.components;
  for (const [name, schema] of Object.entries(schemas)) schemas[name] = openSchema(schema);
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    describeOperation(operation);
  }
  document.components.headers = componentHeaders;
  document.components.responses = { [protocolAnswerName]: protocolAnswer };
  return document as unknown as ReturnType<typeof jsonSchemaTransformObject>;
};

function describeOperation(operation: Operation): void {
  for (const parameter of operation.parameters ?? []) {
    // HTTP does not mind; people expect `Idempotency-Key`.
    if (parameter.in === 'header')
      parameter.name = parameter.name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  }
  for (const media of Object.values(operation.requestBody?.content ?? {}))
    media.schema = openSchema(media.schema);
  for (const [status, response] of Object.entries(operation.responses)) {
    response.headers = answeredHeaders(operation, status);
    for (const media of Object.values(response.content ?? {})) {
      const { description: _said, ...schema } = openSchema(media.schema);
      media.schema = schema;
    }
  }
  Object.assign(operation.responses, { default: { $ref: `#/components/responses/${protocolAnswerName}` } });
}

/** Each named schema comes in a form for requests and one for answers; only those that are used are kept. */
function withoutUnusedSchemas<Whole extends object>(document: Whole): Whole {
  const { components } = document as { components?: { schemas?: Record<string, unknown> } };
  const schemas = components?.schemas ?? {};
  for (let before = 0; before !== Object.keys(schemas).length; ) {
    before = Object.keys(schemas).length;
    for (const name of Object.keys(schemas)) {
      const { [name]: _own, ...others } = schemas;
      const rest = { ...document, components: { ...components, schemas: others } };
      if (!JSON.stringify(rest).includes(`"${schemasPath}${name}"`)) delete schemas[name];
    }
  }
  return document;
}
