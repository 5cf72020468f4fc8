/** How a request of the web product proves whose session it belongs to, and that a page of ours sent it. */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../account/principal.ts';
import { type Sessions, sessionLifetimeMs } from '../account/sessions.ts';
import { ApiError } from '../contract/errors.ts';
import type { PublicUrl } from './public-url.ts';

/** Pages of ours send it with every request; a form or a page of another site cannot, without asking first. */
export const pageHeader = 'x-longhand-page';
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export class SessionRequests {
  readonly sessions: Sessions;
  readonly #publicUrl: PublicUrl;

  constructor(sessions: Sessions, publicUrl: PublicUrl) {
    this.sessions = sessions;
    this.#publicUrl = publicUrl;
  }

  /** For operations of the API: a session counts only where a page of ours sends the request. */
  async pagePrincipal(request: FastifyRequest): Promise<Principal | undefined> {
    if (request.headers[pageHeader] === undefined || !this.#isSameOrigin(request)) return undefined;
    return this.#principal(request);
  }

  /**
   * For routes of the web product alone. What only reads may also be asked for by an element of the page (a player, a
   * download), which cannot send our header; the cookie's SameSite keeps other sites' elements out.
   */
  async principal(request: FastifyRequest): Promise<Principal> {
    const principal = await this.visitor(request);
    if (!principal) throw new ApiError('sign_in_required');
    return principal;
  }

  /** The same where nobody needs to be signed in. */
  async visitor(request: FastifyRequest): Promise<Principal | undefined> {
    this.assertOwnPage(request);
    return this.#principal(request);
  }

  assertOwnPage(request: FastifyRequest): void {
    const isMarked = safeMethods.has(request.method) || request.headers[pageHeader] !== undefined;
    if (!isMarked || !this.#isSameOrigin(request)) throw new ApiError('cross_site_request');
  }

  setCookie(reply: FastifyReply, token: string): void {
    reply.header('set-cookie', this.#cookie(token, sessionLifetimeMs / 1000));
  }

  clearCookie(reply: FastifyReply): void {
    reply.header('set-cookie', this.#cookie('', 0));
  }

  async #principal(request: FastifyRequest): Promise<Principal | undefined> {
    const token = parseCookie(request.headers.cookie ?? '')[this.#cookieName];
    return token === undefined ? undefined : this.sessions.principal(token);
  }

  /** Browsers tell it by one of two headers, over plain HTTP only by Origin; what sends neither is no other site's page. */
  #isSameOrigin({ headers }: FastifyRequest): boolean {
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
    const { origin, host } = headers;
    if (origin === undefined) return true;
    return origin === new URL(this.#publicUrl.base).origin || origin === this.#publicUrl.forHost(host);
  }

  #cookie(value: string, maxAge: number): string {
    return stringifySetCookie({
      name: this.#cookieName,
      value,
      maxAge,
      path: '/',
      httpOnly: true,
      sameSite: 'strict',
      secure: this.#publicUrl.isHttps,
    });
  }

  /** With the prefix a browser takes the cookie only over https and from this host itself. */
  get #cookieName(): string {
    return this.#publicUrl.isHttps ? '__Host-longhand' : 'longhand';
  }
}
