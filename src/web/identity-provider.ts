/** Signing in with a company's own identity: the code flow of OpenID Connect with PKCE, through egress. */
import * as client from 'openid-client';
import type { Identity } from '../account/identity-store.ts';
import type { Egress } from '../egress/egress.ts';

export interface IdentityProviderOptions {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  egress: Pick<Egress, 'request'>;
}

/** What the browser keeps while the person is at the provider. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

const limits = {
  connectMs: 5_000,
  totalMs: 15_000,
  idleMs: 10_000,
  bytesMax: 1024 * 1024,
  headerBytesMax: 64 * 1024,
  redirectsMax: 0,
};
const scope = 'openid profile email';
const nameCharactersMax = 200;

export class IdentityProvider {
  readonly #options: IdentityProviderOptions;
  #configuration: Promise<client.Configuration> | undefined;

  constructor(options: IdentityProviderOptions) {
    this.#options = options;
  }

  /** Where to send the person, and what to remember until they come back. */
  async begin(redirectUri: string): Promise<{ url: URL; pending: PendingSignIn }> {
    const pending = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(await this.#configured(), {
      redirect_uri: redirectUri,
      scope,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    });
    return { url, pending };
  }

  /** Who came back; throws when the provider does not vouch for it, or it is not the sign-in that was begun. */
  async finish(callback: URL, { state, nonce, verifier }: PendingSignIn): Promise<Identity> {
    const tokens = await client.authorizationCodeGrant(await this.#configured(), callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('the identity provider gave no ID token');
    const names = [claims.name, claims.preferred_username, claims.email, claims.sub];
    const name = names.find((one) => typeof one === 'string' && one.trim() !== '') as string;
    return { issuer: claims.iss, subject: claims.sub, name: name.trim().slice(0, nameCharactersMax) };
  }

  /** Asked for once; after a failure the next sign-in asks again. */
  #configured(): Promise<client.Configuration> {
    this.#configuration ??= this.#discover().catch((error: unknown) => {
      this.#configuration = undefined;
      throw error;
    });
    return this.#configuration;
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const server = new URL(issuer);
    // The guard lets plain HTTP through only to what the operator allows.
    const isPlain = server.protocol === 'http:';
    return client.discovery(server, clientId, clientSecret ?? {}, undefined, {
      [client.customFetch]: (url, options) => this.#fetch(url, options),
      ...(isPlain ? { execute: [client.allowInsecureRequests] } : {}),
    });
  }

  async #fetch(url: string, options: client.CustomFetchOptions): Promise<Response> {
    const { method, headers, body } = options;
    const answer = await this.#options.egress.request({
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body === null || body === undefined ? {} : { body: bodyText(body) }),
      limits,
    });
    const bytes = await answer.bytes();
    return new Response(new Uint8Array(bytes), { status: answer.status, headers: answer.headers });
  }
}

function bodyText(body: client.FetchBody): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new Error('a request to the identity provider has an unknown kind of body');
}
