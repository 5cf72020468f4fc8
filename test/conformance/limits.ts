import {
  inAllowance,
  inOpenApi,
  inProtocol,
  inRules,
  inSpecification,
  inSpecificationWebhook,
  inTranscription,
  inUpload,
  inUploadMultipart,
  inUploadPrepare,
  inUploadTransfer,
  inWebhookReceiverUrl,
  type Section,
  says,
} from './statement.ts';

const lifetimes = inUploadTransfer('a single URL lives fifteen minutes, a part URL four hours');
const characters = inRules('limits of characters count code points, in URLs and filenames alike');
const listed = inSpecification(
  'the list is one window of the newest 25 unless limit says otherwise, without a cursor',
);
const daily = inTranscription(
  'the daily allowance is counted with the job, refused with Retry-After, and only looked at by prepare',
);
const documented = inProtocol(
  'the OpenAPI document is 3.1 and lists every operation of the specification, and our two additions',
);

export const limits: Section = {
  title: 'Limits',
  statements: [
    says('filename length: 240 characters', characters),
    says('size: greater than zero', inUploadPrepare('a missing or wrong field is invalid_upload')),
    says(
      'list limit: 1 to 100, default 25',
      inRules(
        'limit is written in decimal digits as one writes an integer from 1 to 100, and in no other way',
      ),
      listed,
    ),
    says('webhook url: 2,048 characters', characters),
    says('webhook url: HTTPS, port 443', inWebhookReceiverUrl('refused: …')),
    says(
      'active webhook subscriptions: 20 per account',
      inSpecificationWebhook(
        'an account has at most 20 active subscriptions; the next is webhook_subscription_limit_reached',
      ),
    ),
    says('single-upload URL lifetime: 15 minutes', lifetimes),
    says('multipart part URL lifetime: four hours', lifetimes),
    says(
      'multipart completion must finish within the four hours',
      inUploadMultipart('completing after four hours is refused'),
    ),
    says(
      'multipart part size: as returned, currently 16 MiB',
      inUploadPrepare('five gibibytes are 320 parts of 16 MiB with an URL each'),
    ),
    says(
      'webhook delivery attempts: seven in total',
      inSpecificationWebhook(
        'an event is tried seven times in total, with the same id and body and a fresh signature, then given up',
      ),
    ),
    says('sources per job: one', inTranscription('exactly one source is taken')),
    says(
      'The maximum file size comes from the account plan',
      inSpecification(
        'a declared size of exactly the limit of the plan is taken, one byte more is file_too_large',
      ),
      inUpload('a file that the plan does not allow any more is too large'),
    ),
    says(
      'The daily allowance is per account',
      daily,
      inAllowance(
        'the allowance holds under concurrent creates, comes back with a fault of ours, and starts anew at midnight UTC',
      ),
    ),
    says(
      'Feature limits are per account',
      inTranscription('speaker_diarization that is not a boolean is invalid_request, and needs the Pro plan'),
    ),
  ],
};

export const versioning: Section = {
  title: 'Versioning',
  statements: [
    says('The version is v1, carried in the path prefix /api/v1', documented),
    says(
      'GET /api/v1 reports the current version',
      inProtocol('discovery needs no key and gives the addresses of the documentation'),
    ),
    says('Listing transcriptions returns one newest-first window with no cursor', listed),
    says(
      'The webhook list has no pagination',
      inSpecificationWebhook(
        'an account has at most 20 active subscriptions; the next is webhook_subscription_limit_reached',
      ),
    ),
    says(
      'Methods, paths, field names and error codes are stable English identifiers',
      documented,
      inOpenApi('formats, defaults, alternatives and limits of the specification are in it'),
    ),
  ],
};
