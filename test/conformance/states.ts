import {
  inSpecification,
  inSpecificationWebhook,
  inTranscription,
  inUpload,
  inUploadMultipart,
  inWebhookDelivery,
  type Section,
  says,
} from './statement.ts';

const processing = inSpecification(
  'a job is processing until it ends, and has text, segments and duration only then',
);
const failed = inSpecification('a failed job has an error, and neither text nor segments');
const subscription = inSpecificationWebhook(
  'a subscription is shown whole once, listed without secret and path, newest first, and deleted',
);
const gone = inSpecificationWebhook(
  '410 Gone disables the subscription at once; it can be deleted and made anew',
);
const toldToAll = inSpecificationWebhook(
  'each ended job is told to every active subscription of its account that chose the type, and to no other',
);

export const states: Section[] = [
  {
    title: 'Transcription job status',
    statements: [
      says('completed is terminal', processing),
      says('failed is terminal', failed),
      says('POST /api/v1/transcriptions, accepted and queued: a job processing, 202, Location', processing),
      says('processing → completed when transcription succeeded', processing),
      says(
        'completed: text, segments and duration_seconds are available',
        inTranscription('a file becomes text: prepare, PUT, create, poll, read'),
      ),
      says(
        'completed: event transcription.completed',
        inSpecificationWebhook(
          'an event has exactly the specified fields and headers, verifies by hand, and leads to the job',
        ),
      ),
      says('processing → failed when media cannot be resolved', failed),
      says(
        'processing → failed when media cannot be processed',
        inTranscription(
          'media that cannot be decoded fails with a sentence, and text and segments stay null',
        ),
      ),
      says('failed: error is set', failed),
      says('failed: event transcription.failed', toldToAll),
    ],
  },
  {
    title: 'Webhook subscription status',
    statements: [
      says('POST /api/v1/webhook-subscriptions, valid: active, secret returned once', subscription),
      says('active → disabled when the receiver answers 410 Gone to any delivery', gone),
      says(
        'disabled: queued deliveries are cancelled',
        inWebhookDelivery('410 disables the subscription and cancels everything that waits for it'),
      ),
      says('disabled: disabled_at is set', gone),
      says('DELETE of an owned active subscription removes it', subscription),
      says('DELETE of an owned disabled subscription removes it', gone),
      says(
        'After the removal delivery attempts stop',
        inWebhookDelivery('a deleted subscription gets no further attempt, and its log stays'),
      ),
      says('A disabled subscription is repaired by deleting and recreating it', gone),
    ],
  },
  {
    title: 'Multipart upload session',
    statements: [
      says(
        'A prepare response of type multipart opens a session',
        inUpload('a multipart upload is of use once it is completed'),
      ),
      says(
        'Complete commits the parts and makes the object available',
        inUpload('a multipart upload is of use once it is completed'),
      ),
      says(
        'Abort discards the session',
        inUpload('an aborted upload is gone'),
        inUploadMultipart('abort erases the parts; it may be repeated; later parts and complete are refused'),
      ),
      says(
        'A transcription can be created only after completion succeeded',
        inUpload('a multipart upload is of use once it is completed'),
      ),
    ],
  },
];
