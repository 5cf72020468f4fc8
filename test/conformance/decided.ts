import {
  inAcceptedMedia,
  inAllowance,
  inApiKey,
  inErrorTable,
  inProtocol,
  inRateLimit,
  inRetrySchedule,
  inRules,
  inSpecificationWebhook,
  inTranscription,
  inUploadMultipart,
  inUploadPrepare,
  inWebhookDelivery,
  inWebhookDocs,
  inWebhookFaults,
  inWebhookSubscription,
  type Section,
  says,
  unproved,
} from './statement.ts';

/** The points that the specification marks as not shown, with what was chosen. */
export const decided: Section = {
  title: 'Not shown in the specification, and chosen',
  statements: [
    says(
      'Discovery answers name, version, documentation_url and openapi_url',
      inProtocol('discovery needs no key and gives the addresses of the documentation'),
    ),
    says(
      'An id in a path that is not a uuid is 404 not_found, like an unknown one',
      inTranscription('a job that is unknown, of another account, or no uuid is the same not_found'),
      inWebhookSubscription(
        "another account's subscription, an unknown id and a text that is no id look the same",
      ),
    ),
    says(
      'Of several errors the first in the written order is answered: prepare',
      inUploadPrepare('of several faults the first in the decided order is answered'),
    ),
    says(
      'Of several errors the first in the written order is answered: complete',
      inUploadMultipart(
        'an unknown, foreign or mismatched key, storage or upload id is refused before the parts',
      ),
    ),
    says(
      'Of several errors the first in the written order is answered: create transcription',
      inErrorTable('of several faults the first one in the written order is answered'),
    ),
    says(
      'Of several errors the first in the written order is answered: create subscription',
      inWebhookSubscription('faults are answered in the written order'),
    ),
    says(
      'The key is judged before the body',
      inProtocol('the key is asked for before the body is looked at'),
    ),
    says(
      'An unknown path is 404 not_found',
      inProtocol('an unknown path is not_found, with and without a key'),
    ),
    says(
      'A known path with another method is 405 method_not_allowed with Allow',
      inProtocol('a known path with another method is method_not_allowed and says which it takes'),
    ),
    says('A body over 1 MiB is 413 request_too_large', inProtocol('a body over 1 MiB is request_too_large')),
    says(
      'Complete repeated after success answers the same',
      inUploadMultipart('a complete repeated after success answers the same, with other parts it is refused'),
    ),
    says(
      'Abort may be repeated',
      inUploadMultipart('abort erases the parts; it may be repeated; later parts and complete are refused'),
    ),
    says(
      'Characters are Unicode code points',
      inRules('limits of characters count code points, in URLs and filenames alike'),
    ),
    says(
      'Keys are lh_, 30 characters of entropy and a checksum; only a hash is stored',
      inApiKey('a generated key is lh_ and 36 base62 characters, and no two are the same'),
      inApiKey('only a SHA-256 of the key is kept'),
    ),
    says(
      'Attempts come at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, ±20 %',
      inRetrySchedule('the written schedule has seven attempts and then ends'),
      inRetrySchedule('jitter is a fifth either way and no more'),
    ),
    says(
      'A delivery has 15 s in all and 5 s to connect',
      inWebhookFaults('a receiver that hangs is left after 15 s, not before'),
      inWebhookFaults('a receiver that does not take the connection is left after 5 s'),
    ),
    says(
      'The replay window for receivers is 300 s',
      inWebhookDocs('the TypeScript example accepts a genuine event and refuses a forged and a stale one'),
    ),
    says(
      'Only 410 Gone disables a subscription',
      inWebhookDelivery(
        'a receiver that never answers well is tried seven times on the written schedule, then left alone',
      ),
      inSpecificationWebhook('410 Gone disables the subscription at once; it can be deleted and made anew'),
    ),
    says(
      'Requests are limited to 600 and creates to 60 a minute, 429 rate_limited with Retry-After, RateLimit and RateLimit-Policy',
      inProtocol('the request rate of an account is limited, with headers that say so'),
      inRateLimit('a create counts against both limits, and a new minute starts anew'),
    ),
    says(
      'The daily allowance counts per UTC day and is given back for faults of ours',
      inAllowance(
        'the allowance holds under concurrent creates, comes back with a fault of ours, and starts anew at midnight UTC',
      ),
    ),
    says(
      'The accepted extensions and MIME types are those of the documentation',
      inAcceptedMedia('every accepted extension is enough when the declared type says nothing'),
    ),
    says(
      'An Idempotency-Key makes a repeated create safe for 24 hours',
      inTranscription('an Idempotency-Key makes a repeated create give the same job, and another body 422'),
    ),
    unproved(
      'A removal is announced by Deprecation and Sunset twelve months ahead',
      'nothing has been removed from v1',
    ),
  ],
};
