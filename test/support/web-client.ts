/** A person's browser without pages: requests as a page of the web product sends them, with its cookie. */
import type { Answer } from './api-client.ts';
import { type Environment, longhand, type TestService } from './service.ts';

export class WebClient {
  readonly url: string;
  /** As the service last set it. */
  setCookie = '';
  cookie: string;
  #isMarked = true;

  constructor(url: string, cookie = '') {
    this.url = url;
    this.cookie = cookie;
  }

  /** A new account, or the one that is named, in a session of its own. */
  static async signedIn(service: TestService, accountId?: string, plan = 'pro'): Promise<WebClient> {
    const id = accountId ?? (await newAccount(service.environment, plan));
    const web = new WebClient(service.url);
    const token = await signInToken(service.environment, id);
    const { status } = await web.send('POST', '/web/session', { token });
    if (status !== 201) throw new Error(`signing in answered ${status}`);
    return web;
  }

  /** The same session, asked by something that is no page of ours. */
  withoutMark(): WebClient {
    const client = new WebClient(this.url, this.cookie);
    client.#isMarked = false;
    return client;
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(this.#isMarked ? { 'x-longhand-page': '1' } : {}),
        ...(this.cookie === '' ? {} : { cookie: this.cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) {
      this.setCookie = set;
      this.cookie = set.split(';')[0] ?? '';
    }
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : json(text) };
  }
}

export async function newAccount(environment: Environment, plan = 'pro'): Promise<string> {
  const made = await longhand(environment, 'account', 'create', 'tester', '--plan', plan, '--json');
  return JSON.parse(made.stdout).id;
}

export async function signInToken(environment: Environment, accountId: string): Promise<string> {
  const { stdout } = await longhand(environment, 'signin', '--account', accountId, '--json');
  return new URL(JSON.parse(stdout).url).searchParams.get('token') ?? '';
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
