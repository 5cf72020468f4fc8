import { protectedErrors, protocolErrors } from '../../contract/envelope.ts';
import { type ErrorCode, errorStatus } from '../../contract/errors.ts';
import { type Html, html } from '../html.ts';
import { codeBlock } from './code-block.ts';
import type { ApiDocument, Content, Parameter, Route } from './open-api.ts';
import { baseUrlMark } from './page-marks.ts';
import { prose } from './prose.ts';
import { sampleOf } from './sample.ts';
import { schemaFields } from './schema-fields.ts';

/** One operation: what it takes and gives beside the words, what it looks like on the wire beside that, and a form to send it. */
export function operationSection(document: ApiDocument, route: Route): Html {
  const { method, path, operation } = route;
  return html`<article class="operation" id="${operation.operationId}">
<div class="words"><h3>${operation.summary}</h3>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
${operation.description === undefined ? undefined : html`<p>${prose(operation.description)}</p>`}
${needsKey(route) ? undefined : html`<p class="quiet">Needs no key.</p>`}
${parameterFields(document, route)}${bodyFields(document, route)}${answerFields(document, route)}${errorLine(document, route)}</div>
<div class="wire">${codeBlock(curlLine(document, route), { label: 'bash' })}
${document.successes(operation).map(({ status, answer, type, content }) => {
  const title = `${status} ${answer.description ?? ''}`;
  return content
    ? codeBlock(answerText(document, type, content), { label: title })
    : html`<p class="quiet small">${title}: no body</p>`;
})}
${tryForm(document, route)}</div>
</article>`;
}

function needsKey({ operation }: Route): boolean {
  return operation.security === undefined || operation.security.length > 0;
}

function parameterFields(document: ApiDocument, { operation }: Route): Html | undefined {
  const parameters = document.parameters(operation);
  if (parameters.length === 0) return undefined;
  const locations: Record<string, string> = { path: 'In the path', query: 'In the query', header: 'Headers' };
  return html`${Object.entries(locations).map(([location, title]) => {
    const own = parameters.filter((one) => one.in === location);
    if (own.length === 0) return undefined;
    const properties = Object.fromEntries(own.map((one) => [one.name, parameterSchema(one)]));
    const required = own.filter((one) => one.required).map(({ name }) => name);
    return html`<h4>${title}</h4>${schemaFields(document, { type: 'object', properties, required })}`;
  })}`;
}

/** What a parameter is unless told; an identifier that only the caller knows has an example instead. */
function presetOf({ schema, example, required }: Parameter): unknown {
  return schema?.default ?? (required ? (example ?? schema?.examples?.[0] ?? schema?.enum?.[0]) : undefined);
}

function parameterSchema({ schema = {}, description }: Parameter) {
  return description === undefined ? schema : { ...schema, description };
}

function bodyFields(document: ApiDocument, { operation }: Route): Html | undefined {
  const schema = document.body(operation)?.schema;
  return schema && html`<h4>You send</h4>${schemaFields(document, schema)}`;
}

function answerFields(document: ApiDocument, { operation }: Route): Html {
  return html`${document.successes(operation).map(({ answer, content }) => {
    const headers = Object.entries(answer.headers ?? {}).map(([name, header]) => {
      const { schema = { type: 'string' }, description } = document.resolved(header);
      return [name, description === undefined ? schema : { ...schema, description }] as const;
    });
    const fields = content?.schema && schemaFields(document, content.schema);
    return html`${fields && html`<details><summary>You get</summary>${fields}</details>`}${
      headers.length === 0
        ? undefined
        : html`<details><summary>Headers of the answer</summary>${schemaFields(document, { properties: Object.fromEntries(headers) })}</details>`
    }`;
  })}`;
}

/** What is its own; what every operation may answer stands in the table once. */
function errorLine(document: ApiDocument, { operation }: Route): Html | undefined {
  const codes = document.errorCodes(operation).filter((code) => !isCommon(code));
  const rest = html`<a class="plain" href="#errors">and those of every operation</a>`;
  return html`<h4>Errors</h4><p class="codes">${codes.map(
    (code) => html`<a href="#error-${code}">${errorStatus(code)} ${code}</a> `,
  )}${rest}</p>`;
}

function curlLine(document: ApiDocument, route: Route): string {
  const { method, path, operation } = route;
  const body = document.body(operation);
  const query = document
    .parameters(operation)
    .filter((one) => one.in === 'query')
    .map((one) => `${one.name}=${presetOf(one) ?? ''}`);
  const address = `${baseUrlMark}${path.replace(/\{(\w+)\}/g, (_whole, name) => `$${name.toUpperCase()}`)}`;
  const quoted = `"${address}${query.length > 0 ? `?${query.join('&')}` : ''}"`;
  const lines = [
    `curl -sS${method === 'GET' || (method === 'POST' && body) ? '' : ` -X ${method}`} ${quoted}`,
  ];
  if (needsKey(route)) lines.push('-H "Authorization: Bearer $KEY"');
  if (body)
    lines.push(
      "-H 'Content-Type: application/json'",
      `-d '${pretty(sampleOf(document, body)).replaceAll('\n', '\n  ')}'`,
    );
  return lines.join(' \\\n  ');
}

/** A form that assets/docs.js sends with the key of the tab. */
function tryForm(document: ApiDocument, route: Route): Html {
  const { method, path, operation } = route;
  const body = document.body(operation);
  const inputs = document.parameters(operation).filter((one) => one.in !== 'cookie');
  return html`<details class="try"><summary>Try it</summary><form data-method="${method}" data-path="${path}"${needsKey(route) ? html` data-needs-key` : undefined}>
${inputs.map((one) => {
  const { name, in: location, required } = one;
  const preset = presetOf(one);
  return html`<label>${name}<input class="field" name="${name}" data-in="${location}" value="${preset === undefined ? '' : String(preset)}" autocomplete="off" spellcheck="false"${required ? html` required` : undefined}></label>`;
})}
${body && html`<label>Body<textarea class="field" name="body" rows="${pretty(sampleOf(document, body)).split('\n').length + 1}" spellcheck="false">${pretty(sampleOf(document, body))}</textarea></label>`}
<p><button class="btn main">Send</button></p><output aria-live="polite"></output></form></details>`;
}

/** A stream of events has one line for each kind of event. */
function answerText(document: ApiDocument, type: string, content: Content): string {
  if (type !== 'text/event-stream') return pretty(sampleOf(document, content));
  return (content.schema?.anyOf ?? [])
    .map((schema) => `data: ${JSON.stringify(sampleOf(document, { schema }))}\n`)
    .join('\n');
}

function isCommon(code: ErrorCode): boolean {
  return ([...protectedErrors, ...protocolErrors] as ErrorCode[]).includes(code);
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
