import type { IncomingMessage } from 'node:http';
import type { Clock } from '../platform/clock.ts';

/** Of a body that nobody wants. */
const drainBytesMax = 1024 * 1024;
const drainMs = 2_000;

/** A client that is still sending at the end has had time to read the refusal. */
export function drainSome(clock: Clock, body: IncomingMessage): void {
  let drainedBytes = 0;
  body.on('data', (chunk: Buffer) => {
    drainedBytes += chunk.length;
    if (drainedBytes > drainBytesMax) body.pause();
  });
  const onTimeout = () => {
    if (!body.complete) body.destroy();
  };
  clock.timeout(drainMs).addEventListener('abort', onTimeout, { once: true });
}
