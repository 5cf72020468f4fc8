/** Why an outgoing request did not give an answer. An HTTP status, whatever it is, is an answer and no failure. */
export type EgressFailureKind =
  /** The URL, or an address that its name resolves to, must not be reached. */
  | 'blocked'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  /** The connection broke before the answer was whole. */
  | 'interrupted'
  /** The body or its decompressed form is larger than the limit. */
  | 'too_large'
  | 'too_many_redirects'
  /** Not HTTP, too many headers, or an encoding we did not ask for. */
  | 'bad_answer';

const transientKinds: ReadonlySet<EgressFailureKind> = new Set(['dns', 'connect', 'timeout', 'interrupted']);

export class EgressFailure extends Error {
  override readonly name = 'EgressFailure';
  readonly kind: EgressFailureKind;
  /** For the log: says which rule or which fault, never a path or a query. */
  readonly reason: string;
  /** Whether the same request may succeed later. */
  readonly transient: boolean;

  constructor(kind: EgressFailureKind, reason: string, options: { cause?: unknown } = {}) {
    super(`${kind}: ${reason}`, options.cause === undefined ? {} : { cause: options.cause });
    this.kind = kind;
    this.reason = reason;
    this.transient = transientKinds.has(kind);
  }
}
