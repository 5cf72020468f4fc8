import type { AttemptOutcome, SignedRequest } from './delivery.ts';

/** One request to one receiver. It never throws: a fault of the network is an outcome. */
export type SendWebhook = (request: SignedRequest, signal: AbortSignal) => Promise<AttemptOutcome>;
