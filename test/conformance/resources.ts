import {
  inMediaSources,
  inSpeakers,
  inSpecification,
  inSpecificationWebhook,
  inTranscription,
  inUpload,
  inUploadPrepare,
  inUploadTransfer,
  type Section,
  says,
} from './statement.ts';

const fileBecomesText = inTranscription('a file becomes text: prepare, PUT, create, poll, read');
const processing = inSpecification(
  'a job is processing until it ends, and has text, segments and duration only then',
);
const failed = inSpecification('a failed job has an error, and neither text nor segments');
const listed = inSpecification(
  'the list is one window of the newest 25 unless limit says otherwise, without a cursor',
);
const single = inSpecification(
  'the target of a single upload has exactly the specified fields, and the PUT takes its headers',
);
const multipart = inSpecification(
  'the target of a multipart upload has exactly the specified fields, its parts in order',
);
const subscription = inSpecificationWebhook(
  'a subscription is shown whole once, listed without secret and path, newest first, and deleted',
);
const event = inSpecificationWebhook(
  'an event has exactly the specified fields and headers, verifies by hand, and leads to the job',
);
const completesUpload = inUpload('a multipart upload is of use once it is completed');

export const resources: Section[] = [
  {
    title: 'Transcription job (GET one)',
    statements: [
      says('data.id is a uuid', processing),
      says('data.filename is the uploaded filename', fileBecomesText),
      says(
        'data.filename is a label derived from a link',
        processing,
        inMediaSources('a direct link gives the bytes and a label from the header'),
      ),
      says('data.status is processing, completed or failed', processing, failed),
      says('data.created_at is a date-time in UTC', processing),
      says('data.duration_seconds is a number, the detected media duration', fileBecomesText),
      says('data.duration_seconds is null while it is unknown', processing),
      says('data.text is the full text when completed', fileBecomesText),
      says('data.text is null otherwise', processing, failed),
      says('data.segments is an array when completed', fileBecomesText),
      says('data.segments is null otherwise', processing, failed),
      says('data.segments[].start is an offset in seconds', fileBecomesText),
      says('data.segments[].end is an offset in seconds', fileBecomesText),
      says('data.segments[].text is the text of the segment', fileBecomesText),
      says(
        'data.segments[].speaker is a number or string, present when diarization is enabled and available',
        inSpeakers(
          'a job with speaker_diarization gives every segment to the one who speaks it, numbered from 0',
        ),
      ),
      says(
        'data.segments[].speaker is absent otherwise',
        fileBecomesText,
        inSpeakers(
          'without the speaker model the transcript completes without speakers, and the log says why',
        ),
      ),
      says('data.error is the failure detail when failed', failed),
      says('data.error is null otherwise', processing),
      says('There are no other fields', processing),
    ],
  },
  {
    title: 'Transcription job (list item)',
    statements: [
      says('id is a uuid', listed),
      says('created_at is a date-time', listed),
      says('duration_seconds is an integer or null', listed, fileBecomesText),
      says('error is a string or null', failed),
      says('filename is a string', failed),
      says('status is a string', listed),
      says('text and segments are always null in list items', listed, fileBecomesText),
    ],
  },
  {
    title: 'Transcription job (create response)',
    statements: [
      says('data.id is a uuid', processing),
      says('data.filename is a string', processing),
      says('data.status is the initial processing status', processing),
      says('data.created_at is a date-time in UTC', processing),
      says('Location is the relative polling URL of the job', fileBecomesText, processing),
    ],
  },
  {
    title: 'Upload target (prepare response)',
    statements: [
      says(
        'data.key is an account-scoped object key',
        single,
        inTranscription(
          "another account's upload is upload_not_owned, and one that is gone is upload_not_found",
        ),
      ),
      says(
        'data.storage is one of two storage provider identifiers',
        single,
        inUpload('a single PUT, then twice a job from the same upload'),
      ),
      says('data.storage is returned unchanged in later requests', completesUpload),
      says('data.content_type is the validated media MIME type', single),
      says('data.upload.type is single or multipart', single, multipart),
      says('data.upload.url is the presigned PUT URL (single only)', single),
      says('data.upload.method is PUT (single only)', single),
      says(
        'data.upload.headers are to be copied onto the storage request (single only)',
        single,
        inUploadTransfer('curl sends a file with nothing but the prepared URL and headers'),
      ),
      says('data.upload.parts is an ordered array (multipart only)', multipart),
      says('data.upload.parts[].part_number is a positive integer', multipart),
      says('data.upload.parts[].url is the presigned PUT URL for that part', multipart, completesUpload),
      says(
        'data.upload.part_size is the bytes of every part except the last',
        multipart,
        inUploadPrepare('five gibibytes are 320 parts of 16 MiB with an URL each'),
      ),
      says('data.upload.upload_id is a string, needed to complete or abort', multipart, completesUpload),
      says(
        'The object key is an opaque string',
        inUploadPrepare(
          'names in any script, with path tricks or control characters, are labels and never paths',
        ),
      ),
    ],
  },
  {
    title: 'Multipart completion result',
    statements: [
      says('data.key is the committed object key', completesUpload),
      says('data.storage is the storage provider of the object', completesUpload),
    ],
  },
  {
    title: 'Webhook subscription',
    statements: [
      says('id is a stable uuid', subscription),
      says('url is the full URL in the create response', subscription),
      says('url is the origin followed by an ellipsis in the list', subscription),
      says('events holds transcription.completed, transcription.failed or both', subscription),
      says(
        'status is active or disabled',
        subscription,
        inSpecificationWebhook('410 Gone disables the subscription at once; it can be deleted and made anew'),
      ),
      says('created_at is a date-time in UTC', subscription),
      says('disabled_at is null while active', subscription),
      says(
        'disabled_at is a date-time once disabled',
        inSpecificationWebhook('410 Gone disables the subscription at once; it can be deleted and made anew'),
      ),
      says('signing_secret is in the create response only', subscription),
      says('signing_secret starts with whsec_', subscription),
      says('signing_secret is never returned again', subscription),
    ],
  },
  {
    title: 'Webhook event (delivered payload)',
    statements: [
      says('id is the uuid of the event', event),
      says('id equals the webhook-id header', event),
      says(
        'id is unchanged across retries',
        inSpecificationWebhook(
          'an event is tried seven times in total, with the same id and body and a fresh signature, then given up',
        ),
      ),
      says(
        'type is transcription.completed or transcription.failed',
        event,
        inSpecificationWebhook(
          'each ended job is told to every active subscription of its account that chose the type, and to no other',
        ),
      ),
      says('created_at is the UTC time of the terminal event', event),
      says('data.id is the id of the job', event),
      says('data.filename is the upload name or derived label', event),
      says(
        'data.status is completed or failed and matches the type',
        event,
        inSpecificationWebhook(
          'each ended job is told to every active subscription of its account that chose the type, and to no other',
        ),
      ),
      says(
        'data.duration_seconds is an integer or null',
        event,
        inSpecificationWebhook(
          'each ended job is told to every active subscription of its account that chose the type, and to no other',
        ),
      ),
      says('data.resource_url is the authenticated URL of the job', event),
      says(
        'The payload never contains transcript text or segments',
        event,
        inSpecificationWebhook(
          'each ended job is told to every active subscription of its account that chose the type, and to no other',
        ),
      ),
    ],
  },
];
