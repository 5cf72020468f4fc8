/** The API as a client sees it: plain fetch, nothing of ours. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Environment, longhand, type TestService } from './service.ts';

/** On a busy machine models are loaded for half a minute, and a killed worker's lease ends first. */
const endedWithinMs = 240_000;

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a client sees whatever JSON there is, and the tests assert its shape.
  body: any;
}

export class ApiClient {
  readonly url: string;
  readonly key: string | undefined;

  constructor(url: string, key?: string) {
    this.url = url;
    this.key = key;
  }

  /** The same key at another address. */
  at(url: string): ApiClient {
    return new ApiClient(url, this.key);
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(this.key ? { authorization: `Bearer ${this.key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parsed(text) };
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }

  /** Prepares and PUTs a small file; gives the reference that create takes. */
  async upload(filename: string, content: Uint8Array): Promise<UploadReference> {
    const { status, body } = await this.post('/api/v1/uploads', { filename, size: content.length });
    if (status !== 200) throw new Error(`prepare answered ${status} ${JSON.stringify(body)}`);
    const { key, storage, content_type, upload } = body.data;
    const put = await fetch(upload.url, { method: upload.method, headers: upload.headers, body: content });
    if (!put.ok) throw new Error(`the PUT answered ${put.status} ${await put.text()}`);
    return { filename, key, storage, size: content.length, content_type };
  }

  async uploadFile(path: string): Promise<UploadReference> {
    return this.upload(basename(path), await readFile(path));
  }

  /** Polls until the job has ended. */
  async ended(id: string, withinMs = endedWithinMs): Promise<Answer> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const answer = await this.get(`/api/v1/transcriptions/${id}`);
      if (answer.body?.data?.status !== 'processing') return answer;
      if (Date.now() > deadline) throw new Error(`the job ${id} has not ended in time`);
      await delay(100);
    }
  }
}

export interface UploadReference {
  filename: string;
  key: string;
  storage: string;
  size: number;
  content_type: string;
}

/** A new account with a key of its own, made by the command line while the service runs. */
export async function newClient(service: TestService, plan = 'pro'): Promise<ApiClient> {
  const key = await newKey(service.environment, plan);
  return new ApiClient(service.url, key);
}

async function newKey(environment: Environment, plan: string): Promise<string> {
  const account = JSON.parse(
    (await longhand(environment, 'account', 'create', 'tester', '--plan', plan, '--json')).stdout,
  );
  const key = JSON.parse(
    (await longhand(environment, 'key', 'create', '--account', account.id, '--json')).stdout,
  );
  return key.key;
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
