import {
  inProtocol,
  inSignature,
  inSpecificationWebhook,
  inTranscription,
  inUploadFaults,
  inWebhook,
  inWebhookDelivery,
  inWebhookDocs,
  inWebhookFaults,
  type Section,
  says,
  unproved,
} from './statement.ts';

const missing = inProtocol(
  'every protected operation refuses a request without a bearer key as missing_api_key',
);
const invalid = inProtocol('every protected operation refuses a malformed or unknown key as invalid_api_key');
const event = inSpecificationWebhook(
  'an event has exactly the specified fields and headers, verifies by hand, and leads to the job',
);
const toldToAll = inSpecificationWebhook(
  'each ended job is told to every active subscription of its account that chose the type, and to no other',
);
const seven = inSpecificationWebhook(
  'an event is tried seven times in total, with the same id and body and a fresh signature, then given up',
);
const retry = inWebhookDelivery('a retry has the same id and body, and a fresh timestamp and signature');
const gone = inSpecificationWebhook(
  '410 Gone disables the subscription at once; it can be deleted and made anew',
);
const docs = inWebhookDocs(
  'the TypeScript example accepts a genuine event and refuses a forged and a stale one',
);

export const authentication: Section = {
  title: 'Authentication',
  statements: [
    says(
      'Every operation except discovery takes a bearer key in Authorization',
      missing,
      inProtocol('the scheme of the Authorization header is case-insensitive'),
    ),
    says('No key: 401 missing_api_key', missing),
    says('A malformed key: 401 invalid_api_key', invalid),
    says('An unknown key: 401 invalid_api_key', invalid),
    says(
      'A revoked key: 401 invalid_api_key',
      inTranscription('a revoked key stops at the next request, and an expired one is refused'),
    ),
    says(
      'Resources are visible only to the account of the key',
      inTranscription('a job that is unknown, of another account, or no uuid is the same not_found'),
    ),
    says(
      'Keys are never part of storage requests',
      inUploadFaults('refuses a request that carries an Authorization header'),
    ),
    says('Webhook receivers are authenticated by signature', event),
    says('Fetching data.resource_url needs a key of the same account', event),
  ],
};

export const events: Section = {
  title: 'Events',
  statements: [
    says('transcription.completed: the result is ready to retrieve', event),
    says(
      'transcription.failed: processing stopped; the job has its error',
      inWebhook('a job that ends is told to its receiver, with a link to the job'),
    ),
    says('Emitted when a job of the account reaches completed or failed', event, toldToAll),
    says(
      'To each active subscription that selected that type',
      toldToAll,
      inWebhookDelivery(
        'only subscriptions that chose the type, are of the account and are active hear of a job',
      ),
    ),
    says(
      'No other events are sent',
      toldToAll,
      inWebhookDelivery('the request says who sends it and carries nothing else'),
    ),
    says('Delivery is an HTTP POST of the thin payload to the subscription URL', event),
    says('webhook-id is the event id, stable across retries', seven),
    says('webhook-timestamp is Unix time in seconds', event),
    says('webhook-timestamp is refreshed on each attempt', retry),
    says(
      'webhook-signature is v1,<base64 HMAC-SHA256>',
      event,
      inSignature('the published vector of … gives its published signature'),
    ),
    says('webhook-signature is refreshed on each attempt', retry),
    says(
      'The key is the base64-decoded signing_secret without whsec_',
      event,
      inSignature('both reference libraries make the same signature: …'),
    ),
    says(
      'The signed content is webhook-id . webhook-timestamp . raw body',
      event,
      inSignature('the signature covers raw bytes, also those that are no text'),
    ),
    says('A receiver compares base64(HMAC-SHA256(key, signed_content)) in constant time', docs),
    says('A receiver rejects an invalid signature', docs),
    says('A receiver rejects a stale timestamp', docs),
    unproved(
      'A receiver rejects an unsupported type, or one that does not match data.status',
      "a rule for the receiver's own code; docs/webhooks.md says it",
    ),
    says('A receiver acknowledges with a 2xx', inWebhookFaults('every 2xx is success')),
    says(
      'A receiver deduplicates on webhook-id: delivery is at least once',
      inWebhookFaults('a receiver that answers 200 after our time-out gets a duplicate with the same id'),
    ),
    says(
      'Network failures are retried',
      inWebhookFaults('a receiver that refuses connections is a failure that is tried again'),
    ),
    says(
      'Non-2xx responses are retried',
      inWebhookFaults('every answer but 2xx and 410 is a failure that is tried again'),
    ),
    says(
      'Retries have a backoff',
      inWebhookDelivery(
        'a receiver that never answers well is tried seven times on the written schedule, then left alone',
      ),
    ),
    says('Up to seven total attempts', seven),
    says('410 Gone disables the subscription immediately', gone),
    says(
      '410 Gone cancels its queued deliveries',
      inWebhookDelivery('410 disables the subscription and cancels everything that waits for it'),
    ),
  ],
};
