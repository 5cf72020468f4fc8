import {
  inFuzz,
  inMediaSources,
  inOpenApi,
  inPageFailure,
  inProtocol,
  inSourceShapes,
  inSourceUrl,
  inSpeakers,
  inSpecification,
  inSpecificationWebhook,
  inTranscription,
  inUpload,
  inUploadFaults,
  inUploadMultipart,
  type Section,
  says,
} from './statement.ts';

const pageLinks = inSourceShapes('the page link … is …');
const failsLater = inSourceUrl(
  'links that cannot become audio are accepted, then fail with a sentence of their own',
);
const becomesTranscript = inSourceUrl('… becomes a transcript, labelled for people');
const fileBecomesText = inTranscription('a file becomes text: prepare, PUT, create, poll, read');

export const service: Section = {
  title: 'What the service does',
  statements: [
    says(
      'It turns audio or video into text through asynchronous jobs over a JSON REST interface',
      fileBecomesText,
    ),
    says(
      'A job has exactly one source: source_url or upload',
      inTranscription('exactly one source is taken'),
    ),
    says(
      'An upload is an object that the account owns',
      inTranscription(
        "another account's upload is upload_not_owned, and one that is gone is upload_not_found",
      ),
    ),
    says('Creating a job returns 202 at once with a job id', fileBecomesText),
    says(
      'The Location header holds a relative polling URL',
      fileBecomesText,
      inSpecification('a job is processing until it ends, and has text, segments and duration only then'),
    ),
    says(
      'Transcription runs outside the request',
      inSpecification('a job is processing until it ends, and has text, segments and duration only then'),
    ),
    says(
      'The client polls until the status is completed or failed',
      fileBecomesText,
      inSpecification('a failed job has an error, and neither text nor segments'),
    ),
    says('Instead of polling the client may receive a webhook', inWebhookTold()),
    says(
      'Large files go directly to object storage through presigned targets',
      inUpload('a multipart upload is of use once it is completed'),
    ),
    says(
      'The API key is never sent to the storage target',
      inUploadFaults('refuses a request that carries an Authorization header'),
    ),
    says('A completed job exposes full text, detected duration and timestamped segments', fileBecomesText),
    says(
      'Speaker identification is available on the Pro plan only',
      inTranscription('speaker_diarization that is not a boolean is invalid_request, and needs the Pro plan'),
      inSpeakers(
        'a job with speaker_diarization gives every segment to the one who speaks it, numbered from 0',
      ),
    ),
    says('source_url takes public pages of video-sharing sites', pageLinks, becomesTranscript),
    says('source_url takes public pages of social video sites', pageLinks),
    says('source_url takes public pages of short-video sites', pageLinks),
    says('source_url takes public pages of social networks', pageLinks),
    says(
      'source_url takes cloud-drive links',
      inSourceShapes('the drive link … leads to …'),
      becomesTranscript,
    ),
    says(
      'source_url takes direct media URLs',
      becomesTranscript,
      inMediaSources('a direct link gives the bytes and a label from the header'),
    ),
    says(
      'A post must open without a login or private session',
      inPageFailure(`the page resolver's "…" means …`),
    ),
    says('One resolvable video per job', failsLater),
    says('Accepted: reel and reels paths', pageLinks),
    says('Accepted: single-video post paths', pageLinks),
    says('Accepted: legacy tv video paths', pageLinks),
    says('Not accepted: profiles', pageLinks, failsLater),
    says(
      'Not accepted: stories',
      pageLinks,
      inMediaSources('links that can never be one video fail before anything is asked'),
    ),
    says('Not accepted: image-only posts', inMediaSources('a post of … behind a link to a reel gives …')),
    says(
      'Not accepted: carousels without one resolvable video',
      inMediaSources('a post of … behind a link to a reel gives …'),
    ),
    says('A 202 only confirms queueing; media that cannot be resolved fails later', failsLater),
    says(
      'Private, removed, restricted or expired media ends as failed',
      failsLater,
      inMediaSources('Google Drive: private, gone, over quota and endless confirmation each have their word'),
    ),
    says(
      'Media that cannot be made public is submitted through the upload flow',
      inUpload('a single PUT, then twice a job from the same upload'),
    ),
    says(
      'Jobs are scoped to the account of the key',
      inTranscription('a job that is unknown, of another account, or no uuid is the same not_found'),
    ),
    says(
      'Upload keys are scoped to the account of the key',
      inTranscription(
        "another account's upload is upload_not_owned, and one that is gone is upload_not_found",
      ),
    ),
    says(
      'Multipart sessions are scoped to the account of the key',
      inUploadMultipart(
        'an unknown, foreign or mismatched key, storage or upload id is refused before the parts',
      ),
    ),
    says(
      'Webhook subscriptions are scoped to the account of the key',
      inSpecificationWebhook(
        'a subscription is shown whole once, listed without secret and path, newest first, and deleted',
      ),
    ),
    says(
      'One request creates one job',
      fileBecomesText,
      inTranscription(
        'the daily allowance is counted with the job, refused with Retry-After, and only looked at by prepare',
      ),
    ),
  ],
};

export const conventions: Section = {
  title: 'Conventions',
  statements: [
    says(
      'Request bodies are JSON',
      inProtocol("a body that is not a JSON object is refused with the operation's own code"),
    ),
    says('Response bodies are JSON', inFuzz('… requests made from the document get no answer outside it')),
    says(
      'A success has a top-level data envelope, an object or an array',
      inFuzz('… requests made from the document get no answer outside it'),
      inSpecification(
        'the list is one window of the newest 25 unless limit says otherwise, without a cursor',
      ),
    ),
    says(
      'A 204 response has no body',
      inSpecification(
        'the target of a multipart upload has exactly the specified fields, its parts in order',
      ),
      inSpecificationWebhook(
        'a subscription is shown whole once, listed without secret and path, newest first, and deleted',
      ),
    ),
    says(
      'An error body is { error: { code, message } }, both strings',
      inFuzz('… requests made from the document get no answer outside it'),
      inProtocol("a body that is not a JSON object is refused with the operation's own code"),
    ),
    says('The transport is HTTPS', inSpecification('with a certificate the service speaks HTTPS')),
    says(
      'Paths, fields and codes are English identifiers',
      inOpenApi('formats, defaults, alternatives and limits of the specification are in it'),
      inProtocol(
        'the OpenAPI document is 3.1 and lists every operation of the specification, and our two additions',
      ),
    ),
  ],
};

function inWebhookTold() {
  return inSpecificationWebhook(
    'an event has exactly the specified fields and headers, verifies by hand, and leads to the job',
  );
}
