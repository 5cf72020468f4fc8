import type { Config } from '../config.ts';
import type { Egress } from '../egress/egress.ts';
import type { Clock } from '../platform/clock.ts';

/** Egress of a process that may never need it: loaded with the first use, closed by whoever made it. */
export interface LazyEgress {
  open(): Promise<Egress>;
  close(): Promise<void>;
}

export function lazyEgress({ egressAllow: allow }: Config, clock: Clock): LazyEgress {
  let opened: Promise<Egress> | undefined;
  return {
    open() {
      opened ??= import('../egress/egress.ts').then(({ createEgress }) => createEgress({ allow, clock }));
      return opened;
    },
    async close() {
      await (await opened)?.close();
    },
  };
}
