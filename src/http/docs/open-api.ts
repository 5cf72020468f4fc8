/** The part of an OpenAPI 3.1 document that the page shows. */
import type { ErrorCode } from '../../contract/errors.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  title?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
}

interface Example {
  $ref?: string;
  summary?: string;
  value?: unknown;
}

export interface Content {
  schema?: Schema;
  example?: unknown;
  examples?: Record<string, Example>;
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
}

export interface Answer {
  $ref?: string;
  description?: string;
  headers?: Record<string, { $ref?: string; description?: string; schema?: Schema }>;
  content?: Record<string, Content>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  security?: object[];
  parameters?: Parameter[];
  requestBody?: { $ref?: string; content: Record<string, Content> };
  responses: Record<string, Answer>;
}

export interface OpenApiDocument {
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: object;
}

export interface Success {
  status: string;
  answer: Answer;
  /** The media type of the content. */
  type: string;
  content: Content | undefined;
}

export interface Route {
  method: string;
  path: string;
  operation: Operation;
}

const jsonType = 'application/json';

export class ApiDocument {
  readonly #document: OpenApiDocument;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  get groups(): { name: string; description: string; routes: Route[] }[] {
    const routes = this.routes;
    return (this.#document.tags ?? [])
      .map(({ name, description = '' }) => ({
        name,
        description,
        routes: routes.filter(({ operation }) => operation.tags?.includes(name)),
      }))
      .filter((group) => group.routes.length > 0);
  }

  get routes(): Route[] {
    return Object.entries(this.#document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation.responses !== undefined)
        .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
  }

  get events(): Operation[] {
    return Object.values(this.#document.webhooks ?? {}).flatMap((methods) => Object.values(methods));
  }

  /** What a reference stands for; anything else as it is. */
  resolved<Value extends { $ref?: string }>(value: Value): Value {
    if (value.$ref === undefined) return value;
    const target = value.$ref
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((node, name) => (node as Record<string, unknown>)?.[name], this.#document);
    if (target === undefined) throw new Error(`the API document has no ${value.$ref}`);
    const { $ref: _reference, ...own } = value;
    return { ...this.resolved(target as Value), ...own } as Value;
  }

  body({ requestBody }: Operation): Content | undefined {
    return requestBody && this.resolved(requestBody).content[jsonType];
  }

  parameters({ parameters = [] }: Operation): Parameter[] {
    return parameters.map((one) => this.resolved(one));
  }

  successes({ responses }: Operation): Success[] {
    return Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, reference]) => {
        const answer = this.resolved(reference);
        const [type = jsonType, content] = Object.entries(answer.content ?? {})[0] ?? [];
        return { status, answer, type, content };
      });
  }

  /** The error codes of an operation, as its answers list them. */
  errorCodes({ responses }: Operation): ErrorCode[] {
    return Object.entries(responses)
      .filter(([status]) => !status.startsWith('2'))
      .flatMap(([, answer]) => {
        const schema = this.resolved(answer).content?.[jsonType]?.schema;
        const error = schema && this.resolved(schema).properties?.error;
        const code = error && this.resolved(error).properties?.code;
        return (code && (this.resolved(code).enum ?? [this.resolved(code).const])) ?? [];
      }) as ErrorCode[];
  }
}
