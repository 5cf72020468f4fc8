import {
  inCommandWorker,
  inOpenApi,
  inRules,
  inSpecification,
  inSpecificationWebhook,
  inTranscription,
  inUpload,
  inUploadVerify,
  inWebhookDelivery,
  inWebhookFaults,
  inWebhookReceiverUrl,
  inWebhookSubscription,
  type Section,
  says,
  unproved,
} from './statement.ts';

const fileBecomesText = inTranscription('a file becomes text: prepare, PUT, create, poll, read');
const wrongReference = inTranscription('an upload reference with a missing or wrong field is invalid_upload');
const oneSource = inTranscription('exactly one source is taken');
const processing = inSpecification(
  'a job is processing until it ends, and has text, segments and duration only then',
);
const listed = inSpecification(
  'the list is one window of the newest 25 unless limit says otherwise, without a cursor',
);
const limits = inRules(
  'limit is written in decimal digits as one writes an integer from 1 to 100, and in no other way',
);
const subscription = inSpecificationWebhook(
  'a subscription is shown whole once, listed without secret and path, newest first, and deleted',
);
const refusedUrl = inWebhookReceiverUrl('refused: …');
const badEvents = inSpecificationWebhook('events must be a non-empty list of the two types');
const toldToAll = inSpecificationWebhook(
  'each ended job is told to every active subscription of its account that chose the type, and to no other',
);

export const jobEndpoints: Section[] = [
  {
    title: 'POST /api/v1/transcriptions (create)',
    statements: [
      says('Success is 202 with the create response and Location', processing),
      says(
        'source_url is a public HTTP(S) media URL',
        inTranscription('source_url must be a public http or https URL without credentials'),
      ),
      says(
        'Exactly one of source_url and upload is given',
        oneSource,
        inOpenApi('a create takes exactly one of source_url and upload'),
      ),
      says('upload is a completed upload reference', fileBecomesText),
      says('upload.filename is required with upload', wrongReference),
      says('upload.key is required with upload: the owned key from prepare', wrongReference),
      says(
        'upload.size is required with upload: the exact uploaded bytes',
        wrongReference,
        inRules('a size that differs from the stored one is told with both numbers'),
      ),
      says('upload.storage is required with upload: the storage value from prepare', wrongReference),
      says(
        'upload.content_type may be a string, null or left out',
        wrongReference,
        inUploadVerify('an upload is found again with what is really stored'),
      ),
      says(
        'speaker_diarization is Pro only, default false',
        inTranscription(
          'speaker_diarization that is not a boolean is invalid_request, and needs the Pro plan',
        ),
      ),
      says(
        'The service verifies ownership of the uploaded object before queueing',
        inUploadVerify("another account's key is refused before the store is asked"),
      ),
      says(
        'The service verifies the stored metadata before queueing',
        inUpload('each fault of an upload has its code'),
        inUploadVerify('a stated size that differs from the stored one is refused'),
      ),
    ],
  },
  {
    title: 'GET /api/v1/transcriptions (list recent)',
    statements: [
      says(
        'limit is an integer from 1 to 100',
        limits,
        inTranscription('the newest job is listed first, and limit is an integer from 1 to 100'),
      ),
      says('limit has the default 25', listed),
      says('Success is 200 with a data array of list items', listed),
      says('Newest first', listed),
      says('One window only: no cursor, no pagination token', listed),
      says('Older jobs are not reachable by the list', listed),
    ],
  },
  {
    title: 'GET /api/v1/transcriptions/{id}',
    statements: [
      says(
        'id is the uuid of a job',
        inTranscription('a job that is unknown, of another account, or no uuid is the same not_found'),
      ),
      says('Success is 200 with the full job', processing, fileBecomesText),
      says('Clients stop polling at completed or failed: the answer does not change any more', processing),
    ],
  },
  {
    title: 'POST /api/v1/webhook-subscriptions (create)',
    statements: [
      says('Success is 201 with the subscription including signing_secret', subscription),
      says('Location is the relative URL of the subscription', subscription),
      says('url is required', badEvents),
      says('url is a public HTTPS receiver', refusedUrl, inWebhookReceiverUrl('accepted: …')),
      says('url is on port 443', refusedUrl, inWebhookReceiverUrl('accepted: …')),
      says(
        'url has at most 2,048 characters',
        inRules('limits of characters count code points, in URLs and filenames alike'),
        refusedUrl,
      ),
      says('Private URLs are rejected', refusedUrl),
      says('Local URLs are rejected', refusedUrl),
      says(
        'Credential-bearing URLs are rejected',
        refusedUrl,
        inRules('credentials in a URL are refused even when they are empty'),
      ),
      says('URLs with a fragment are rejected', refusedUrl),
      says(
        'URLs that need a redirect are not accepted for delivery',
        inWebhookFaults('a … is not followed, not even to an allowed place'),
      ),
      says('events is required: one or both types', badEvents, subscription),
      says(
        'A subscription receives matching terminal events of every job of the account created by REST',
        toldToAll,
      ),
      says(
        '… created by the command line',
        inCommandWorker(
          'a job of the service that the worker of a transcribe command ends has its event like any other',
        ),
      ),
      unproved(
        '… created by an agent protocol or the web product',
        'the event is written with the end of a job, whatever made the job (src/transcription/step/finish.ts); each new protocol brings a test',
      ),
      says(
        'At most 20 active subscriptions per account',
        inSpecificationWebhook(
          'an account has at most 20 active subscriptions; the next is webhook_subscription_limit_reached',
        ),
        inWebhookSubscription('of fifty creates at once twenty succeed, and disabled ones do not count'),
      ),
    ],
  },
  {
    title: 'GET /api/v1/webhook-subscriptions (list)',
    statements: [
      says('Success is 200 with a data array of subscriptions', subscription),
      says('Without signing_secret', subscription),
      says(
        'url is reduced to its origin',
        subscription,
        inWebhookSubscription(
          'the list shows the newest first, only the origin of each url, and never a secret',
        ),
      ),
      says('Newest first', subscription),
      says(
        'All subscriptions of the account, no pagination, no parameters',
        inSpecificationWebhook(
          'an account has at most 20 active subscriptions; the next is webhook_subscription_limit_reached',
        ),
      ),
    ],
  },
  {
    title: 'DELETE /api/v1/webhook-subscriptions/{id}',
    statements: [
      says('No body is needed', subscription),
      says('Success is 204 without a body', subscription),
      says(
        'New delivery attempts for that subscription stop',
        inWebhookDelivery('a deleted subscription gets no further attempt, and its log stays'),
        inWebhookDelivery('a subscription deleted while its request is under way is not tried again'),
      ),
      says(
        'A secret, destination or selection is rotated by delete and recreate',
        inSpecificationWebhook('410 Gone disables the subscription at once; it can be deleted and made anew'),
      ),
    ],
  },
];
