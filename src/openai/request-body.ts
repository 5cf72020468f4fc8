/** The body of a request: its file goes to the store while it comes, its fields are kept. */
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '../account/principal.ts';
import { type ReceivedUpload, type ReceiveUploadDeps, receiveUpload } from '../upload/receive-upload.ts';
import { fileTooLarge } from '../upload/upload-refusal.ts';
import type { BodySlots } from './body-slots.ts';
import { audioOf, readJson } from './json-body.ts';
import { OpenAiError } from './openai-error.ts';
import type { RequestFields } from './request-options.ts';

export interface RequestBodyDeps extends ReceiveUploadDeps {
  jsonSlots: BodySlots;
  formSlots: BodySlots;
}

export interface ReceivedRequest {
  upload: ReceivedUpload;
  fields: RequestFields;
}

/** A reference of ten seconds of a voice has at most two million bytes, in base64 a third more. */
const fieldBytesMax = 4 * 1024 * 1024;
const fieldsBytesMax = 16 * 1024 * 1024;
/** 25 MiB in base64 by a line of 5 Mb/s. */
const jsonMsMax = 60_000;
const limits = {
  fieldNameSize: 200,
  fieldSize: fieldBytesMax,
  fields: 100,
  files: 10,
  parts: 110,
  fileSize: Number.POSITIVE_INFINITY,
};

export async function receiveRequest(
  deps: RequestBodyDeps,
  principal: Principal,
  request: FastifyRequest,
): Promise<ReceivedRequest> {
  const { id } = principal.account;
  if (request.isMultipart()) return await deps.formSlots.use(id, () => receiveForm(deps, principal, request));
  if (request.mediaType === 'application/json') {
    return await deps.jsonSlots.use(id, async () => {
      const late = deps.clock.timeout(jsonMsMax);
      const fields = await readJson(wellFormed<Buffer>(request.raw), late);
      return { fields, upload: await receiveUpload(deps, principal, audioOf(fields)) };
    });
  }
  throw new OpenAiError(
    'Send the recording as multipart/form-data in the field "file", or as application/json in "input_audio".',
    { param: 'file' },
  );
}

async function receiveForm(
  deps: RequestBodyDeps,
  principal: Principal,
  request: FastifyRequest,
): Promise<ReceivedRequest> {
  const sizeBytesMax = declaredBytes(request, principal);
  const fields = new FormFields();
  let upload: ReceivedUpload | undefined;
  try {
    for await (const part of wellFormed(request.parts({ limits }))) {
      if (part.type === 'field') fields.add(part);
      else if (part.fieldname !== 'file' || upload) part.file.resume();
      else upload = await receiveUpload(deps, principal, { ...fileOf(part), sizeBytesMax });
    }
    if (upload) return { upload, fields: fields.all };
    throw new OpenAiError('There is no file: send the recording in the form field "file".', {
      param: 'file',
      code: 'missing_required_parameter',
    });
  } catch (error) {
    await upload?.discard().catch(() => {}); // What cannot be erased now is left to the sweep.
    throw error;
  }
}

/** For the form's own lines beside the file. */
const formBytesMax = fieldsBytesMax + 1024 * 1024;

/** The length of the whole body, where it is told: the file is no longer. What cannot fit is refused before it comes. */
function declaredBytes({ headers }: FastifyRequest, { account }: Principal): number | undefined {
  const length = Number(headers['content-length'] ?? Number.NaN);
  if (!(length > 0)) return undefined;
  if (length > account.plan.fileBytesMax + formBytesMax) throw fileTooLarge(length, account.plan);
  return length;
}

function fileOf({ filename, mimetype, file }: MultipartFile) {
  // A part without a type of its own is text by the rules of forms, which says nothing about a recording.
  const contentType = mimetype === 'text/plain' ? null : mimetype;
  return { filename: filename ?? '', contentType, body: wellFormed<Buffer>(file) };
}

/** What the parser cannot make sense of is the sender's fault, or the connection's. */
async function* wellFormed<Part>(parts: AsyncIterable<Part>): AsyncGenerator<Part> {
  try {
    yield* parts;
  } catch (cause) {
    throw new OpenAiError('The body ends too early or cannot be read. Send it again, whole.', {
      code: 'malformed_body',
      cause,
    });
  }
}

/** Arrays come as `name[]`, once for each value. */
class FormFields {
  readonly #values = new Map<string, string[]>();
  #bytes = 0;

  add({ fieldname, value, valueTruncated }: MultipartValue): void {
    if (typeof value !== 'string') return;
    const name = fieldname.replace(/\[\]$/, '');
    this.#bytes += value.length;
    if (valueTruncated || this.#bytes > fieldsBytesMax) {
      throw new OpenAiError(`The field ${name.slice(0, 100)} is too long.`, {
        status: 413,
        param: name,
        code: 'field_too_long',
      });
    }
    this.#values.set(name, [...(this.#values.get(name) ?? []), value]);
  }

  get all(): RequestFields {
    return Object.fromEntries(this.#values);
  }
}
