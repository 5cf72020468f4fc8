/** Where clients reach this service: the one derivation of the base of every link. */

export interface ListeningAddress {
  /** As the operator says (LONGHAND_PUBLIC_URL), without a slash at its end. It always wins. */
  publicUrl: string | undefined;
  host: string;
  port: number;
  tls: object | undefined;
}

const anyAddress: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
const namePattern =
  /^(?:[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_])?\.?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

export class PublicUrl {
  readonly #address: ListeningAddress;
  #port: number;

  constructor(address: ListeningAddress) {
    this.#address = address;
    this.#port = address.port;
  }

  /** With port 0 the system chooses. */
  listensOn(port: number): void {
    this.#port = port;
  }

  /** For what is written without a request, such as events. */
  get base(): string {
    const { publicUrl, host } = this.#address;
    if (publicUrl !== undefined) return publicUrl;
    const name = anyAddress.has(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
    return `${this.#scheme}://${name}:${this.#port}`;
  }

  get isHttps(): boolean {
    return this.base.startsWith('https:');
  }

  /**
   * For the answer to a request: by the name under which its sender reached us. Only the sender sees it, so nobody can
   * lead others astray with a Host of their choosing. Headers of proxies are never read: anyone may send them.
   */
  forHost(hostHeader: string | undefined): string {
    if (this.#address.publicUrl !== undefined || !hostHeader || !namePattern.test(hostHeader))
      return this.base;
    const url = `${this.#scheme}://${hostHeader}`;
    return URL.canParse(url) ? new URL(url).origin : this.base;
  }

  get #scheme(): string {
    return this.#address.tls ? 'https' : 'http';
  }
}

/** Whether `host` means every address of this machine, so that no link can be made from it. */
export function isAnyAddress(host: string): boolean {
  return anyAddress.has(host);
}
