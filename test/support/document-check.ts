/** Holds requests and answers against the OpenAPI document, with a validator that is not ours. */
import { createHash } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema } from './schema-values.ts';

interface Media {
  schema: JsonSchema;
  example?: unknown;
}

interface Response {
  $ref?: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
}

export interface Operation {
  operationId: string;
  security?: unknown[];
  parameters?: { name: string; in: string; required?: boolean; schema: JsonSchema }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    headers: Record<string, { required?: boolean; schema: JsonSchema }>;
    responses: Record<string, Response>;
  };
}

export interface DocumentedAnswer {
  status: number;
  headers: Headers;
  body: unknown;
}

export class DocumentCheck {
  readonly document: OpenApiDocument;
  /** Formats of a request are hints: the service also takes URLs with letters of any script. */
  readonly #requests = new Ajv2020({ strict: false, validateFormats: false });
  readonly #answers = new Ajv2020({ strict: false, allErrors: true });

  constructor(document: OpenApiDocument) {
    this.document = document;
    addFormats.default(this.#answers);
    for (const ajv of [this.#requests, this.#answers])
      ajv.addSchema({ $id: 'document', components: document.components });
  }

  operations(): { method: string; path: string; operation: Operation }[] {
    return Object.entries(this.document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
      })),
    );
  }

  requestSchema({ requestBody }: Operation): JsonSchema | undefined {
    return requestBody?.content['application/json']?.schema;
  }

  /** Whether a request body is one that the document allows. */
  fitsRequest(operation: Operation, body: unknown): boolean {
    const schema = this.requestSchema(operation);
    return schema === undefined || this.#validator(this.#requests, schema)(body) === true;
  }

  /** Everything about an answer that the document does not say. */
  faultsOf(operation: Operation, answer: DocumentedAnswer): string[] {
    const response = this.#response(operation, answer.status);
    if (!response) return [`status ${answer.status} is not documented`];
    return [...this.#headerFaults(response, answer), ...this.#bodyFaults(response, answer)];
  }

  #response({ responses }: Operation, status: number): Response | undefined {
    const response = responses[status] ?? responses.default;
    const name = response?.$ref?.split('/').at(-1);
    return name ? this.document.components.responses[name] : response;
  }

  #headerFaults(response: Response, { headers }: DocumentedAnswer): string[] {
    return Object.entries(response.headers ?? {}).flatMap(([name, { $ref }]) => {
      const header = this.document.components.headers[$ref.split('/').at(-1) ?? ''];
      const value = headers.get(name);
      if (!header) return [`the header ${name} is not described`];
      if (value === null) return header.required ? [`the header ${name} is missing`] : [];
      const typed = header.schema.type === 'integer' ? Number(value) : value;
      return this.#faults(header.schema, typed, name);
    });
  }

  #bodyFaults({ content }: Response, { headers, body }: DocumentedAnswer): string[] {
    if (!content) return body === undefined ? [] : ['there is a body where none is documented'];
    const type = headers.get('content-type')?.split(';', 1)[0] ?? '';
    const media = content[type];
    if (!media) return [`the content type ${type} is not documented`];
    return type === 'application/json' ? this.#faults(media.schema, body, 'body') : [];
  }

  #faults(schema: JsonSchema, value: unknown, what: string): string[] {
    const validate = this.#validator(this.#answers, schema);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
  }

  /** Compiled once for each schema: Ajv remembers by the text under which it is asked. */
  #validator(ajv: Ajv2020, schema: JsonSchema): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const id = createHash('sha1').update(text).digest('hex');
    return ajv.getSchema(id) ?? ajv.compile({ $id: id, ...JSON.parse(text) });
  }
}
