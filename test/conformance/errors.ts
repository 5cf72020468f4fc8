import {
  inAcceptedMedia,
  inErrorTable,
  inProtocol,
  inQueueUnavailable,
  inRestart,
  inRules,
  inSpecification,
  inSpecificationWebhook,
  inStorageDown,
  inTranscription,
  inUpload,
  inUploadMultipart,
  inUploadPrepare,
  inUploadVerify,
  inWebhookReceiverUrl,
  type Section,
  says,
} from './statement.ts';

const missing = inProtocol(
  'every protected operation refuses a request without a bearer key as missing_api_key',
);
const invalid = inProtocol('every protected operation refuses a malformed or unknown key as invalid_api_key');
const wrongPrepare = inUploadPrepare('a missing or wrong field is invalid_upload');
const wrongReference = inTranscription('an upload reference with a missing or wrong field is invalid_upload');
const notObject = inProtocol("a body that is not a JSON object is refused with the operation's own code");
const pro = inTranscription(
  'speaker_diarization that is not a boolean is invalid_request, and needs the Pro plan',
);
const daily = inTranscription(
  'the daily allowance is counted with the job, refused with Retry-After, and only looked at by prepare',
);
const badParts = inSpecification(
  'a part without an ETag or a positive part_number is invalid_multipart_parts',
);
const badUpload = inUpload('each fault of an upload has its code');
const types = inRules(
  'unsupported_type lists what is accepted, and file_too_large says the limit and the size',
);
const badEvents = inSpecificationWebhook('events must be a non-empty list of the two types');
const sameNotFound = inTranscription(
  'a job that is unknown, of another account, or no uuid is the same not_found',
);
const subscription = inSpecificationWebhook(
  'a subscription is shown whole once, listed without secret and path, newest first, and deleted',
);
const refusedUrl = inWebhookReceiverUrl('refused: …');
const sourceUrl = inTranscription('source_url must be a public http or https URL without credentials');

export const errors: Section = {
  title: 'Errors',
  statements: [
    says(
      'Every code has its status, and there are no others than written',
      inErrorTable(
        'the error table has every specified code with its status, no others, and each message is a sentence',
      ),
    ),
    says('401 missing_api_key: no bearer key, all protected operations', missing),
    says(
      '401 invalid_api_key: key malformed, unknown or revoked, all protected operations',
      invalid,
      inTranscription('a revoked key stops at the next request, and an expired one is refused'),
    ),
    says('400 invalid_upload at prepare: filename missing', wrongPrepare),
    says('400 invalid_upload at prepare: positive size missing', wrongPrepare),
    says('400 invalid_upload at create: upload reference missing a field', wrongReference),
    says('400 invalid_upload at create: upload reference invalid', wrongReference, badUpload),
    says('403 pro_required at prepare: speaker diarization without Pro', pro),
    says('403 pro_required at create: speaker diarization without Pro', pro),
    says('429 daily_limit_reached at prepare', daily),
    says('429 daily_limit_reached at create', daily),
    says(
      '413 file_too_large at prepare: declared size above the account file limit',
      inSpecification(
        'a declared size of exactly the limit of the plan is taken, one byte more is file_too_large',
      ),
    ),
    says(
      '413 file_too_large at create: stored size above the account file limit',
      inUpload('a file that the plan does not allow any more is too large'),
    ),
    says(
      '415 unsupported_type: filename not accepted audio or video',
      types,
      inAcceptedMedia('every accepted extension is enough when the declared type says nothing'),
    ),
    says('415 unsupported_type: MIME type not accepted audio or video', types),
    says(
      '415 unsupported_type at create: stored object not accepted audio or video',
      types,
      inTranscription('stored bytes that are not media are unsupported_type, whatever their name says'),
    ),
    says(
      '503 api_uploads_unavailable at prepare: upload backend unavailable',
      inStorageDown('with the object store down prepare is 503 and every other operation goes on'),
    ),
    says('400 invalid_multipart_upload at complete: key, storage or upload_id invalid', badParts),
    says(
      '400 invalid_multipart_upload at complete: not owned',
      inUploadMultipart(
        'an unknown, foreign or mismatched key, storage or upload id is refused before the parts',
      ),
    ),
    says('400 invalid_multipart_upload at abort: key, storage or upload_id invalid', badParts),
    says(
      '400 invalid_multipart_upload at abort: not owned',
      inUploadMultipart(
        'an unknown, foreign or mismatched key, storage or upload id is refused before the parts',
      ),
    ),
    says('400 invalid_multipart_parts: a part lacks an ETag', badParts),
    says('400 invalid_multipart_parts: a part lacks a positive part_number', badParts),
    says('400 invalid_request at create transcription: body is not a JSON object', notObject),
    says('400 invalid_request at create subscription: body is not a JSON object', notObject),
    says('400 invalid_source: both source types', inTranscription('exactly one source is taken')),
    says('400 invalid_source: neither', inTranscription('exactly one source is taken')),
    says('400 invalid_source_url: source_url is not a valid HTTP(S) URL', sourceUrl),
    says(
      '400 empty_upload: stored upload has no bytes',
      badUpload,
      inUploadVerify('a stored object without bytes is empty, whatever size is stated'),
    ),
    says('403 upload_not_owned: upload key belongs to another account', badUpload),
    says(
      '404 upload_not_found: prepared upload no longer exists',
      badUpload,
      inTranscription(
        "another account's upload is upload_not_owned, and one that is gone is upload_not_found",
      ),
    ),
    says(
      '503 api_processing_unavailable: processing backend unavailable',
      inRestart('an API without any worker refuses jobs, and takes them as soon as a worker is there'),
    ),
    says(
      '503 queue_unavailable: job could not be queued',
      inQueueUnavailable(
        'a job that cannot be queued is queue_unavailable, and leaves no job and no use of the allowance',
      ),
    ),
    says(
      '400 invalid_limit: limit not an integer from 1 to 100',
      inRules(
        'limit is written in decimal digits as one writes an integer from 1 to 100, and in no other way',
      ),
    ),
    says('404 not_found at get: job does not exist', sameNotFound),
    says('404 not_found at get: job belongs to another account', sameNotFound),
    says('400 invalid_webhook_url: url missing', badEvents),
    says('400 invalid_webhook_url: url invalid', badEvents, refusedUrl),
    says('400 invalid_webhook_url: url non-HTTPS', badEvents, refusedUrl),
    says('400 invalid_webhook_url: url non-public', badEvents, refusedUrl),
    says('400 invalid_webhook_url: url unsafe', refusedUrl),
    says('400 invalid_webhook_events: events empty', badEvents),
    says('400 invalid_webhook_events: events contains an unsupported type', badEvents),
    says(
      '409 webhook_subscription_limit_reached: account already has 20 active subscriptions',
      inSpecificationWebhook(
        'an account has at most 20 active subscriptions; the next is webhook_subscription_limit_reached',
      ),
    ),
    says(
      '503 webhooks_unavailable: secrets cannot be stored safely with the current configuration',
      inSpecificationWebhook(
        'where secrets cannot be sealed, creating a subscription is webhooks_unavailable',
      ),
    ),
    says('404 not_found at delete: subscription does not exist', subscription),
    says('404 not_found at delete: subscription belongs to another account', subscription),
  ],
};
