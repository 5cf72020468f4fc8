import {
  inOpenApi,
  inProtocol,
  inRules,
  inSpecification,
  inTranscription,
  inUpload,
  inUploadFaults,
  inUploadMultipart,
  inUploadPrepare,
  inUploadTransfer,
  type Section,
  says,
} from './statement.ts';

const wrongField = inUploadPrepare('a missing or wrong field is invalid_upload');
const single = inSpecification(
  'the target of a single upload has exactly the specified fields, and the PUT takes its headers',
);
const multipart = inSpecification(
  'the target of a multipart upload has exactly the specified fields, its parts in order',
);
const badParts = inSpecification(
  'a part without an ETag or a positive part_number is invalid_multipart_parts',
);
const completes = inUpload('a multipart upload is of use once it is completed');
const aborts = inUpload('an aborted upload is gone');
const lifetimes = inUploadTransfer('a single URL lives fifteen minutes, a part URL four hours');
const everyPartRight = inUploadMultipart(
  'a wrong, missing, surplus, repeated or misplaced part is refused, then the right list is taken',
);

export const uploadEndpoints: Section[] = [
  {
    title: 'GET /api/v1',
    statements: [
      says(
        'Returns the current API version and documentation URLs',
        inProtocol('discovery needs no key and gives the addresses of the documentation'),
      ),
      says(
        'It needs no key; every other operation does',
        inProtocol('discovery needs no key and gives the addresses of the documentation'),
        inProtocol('every protected operation refuses a request without a bearer key as missing_api_key'),
      ),
    ],
  },
  {
    title: 'POST /api/v1/uploads (prepare a direct upload)',
    statements: [
      says('Success is 200 with the upload target', single),
      says('filename is required', wrongField),
      says(
        'filename has up to 240 characters',
        inRules('limits of characters count code points, in URLs and filenames alike'),
        wrongField,
      ),
      says('size is required', wrongField),
      says(
        'size is an integer, exact bytes, greater than zero',
        wrongField,
        inUploadTransfer('a PUT of another length or content type than prepared is refused'),
      ),
      says(
        'content_type may be a string',
        inUploadTransfer('a PUT of another length or content type than prepared is refused'),
      ),
      says('content_type may be null or left out', single),
      says(
        'speaker_diarization is a boolean with the default false',
        inOpenApi('formats, defaults, alternatives and limits of the specification are in it'),
        inRules('the message names the field that is wrong'),
      ),
      says(
        'speaker_diarization preflights the Pro-only requirement',
        inTranscription(
          'speaker_diarization that is not a boolean is invalid_request, and needs the Pro plan',
        ),
      ),
      says(
        'The server validates the account',
        inProtocol('every protected operation refuses a malformed or unknown key as invalid_api_key'),
      ),
      says(
        'The server validates the media type',
        inRules('unsupported_type lists what is accepted, and file_too_large says the limit and the size'),
      ),
      says(
        'The server validates the size allowance',
        inSpecification(
          'a declared size of exactly the limit of the plan is taken, one byte more is file_too_large',
        ),
      ),
      says(
        'Server configuration decides between single and multipart',
        inUploadPrepare('single below the threshold, multipart from it on'),
      ),
      says('Single-upload URLs expire after 15 minutes', lifetimes),
      says('Multipart part URLs expire after four hours', lifetimes),
      says(
        'Every part except the last is exactly part_size bytes',
        everyPartRight,
        inUploadTransfer('a part of another length than prepared is refused'),
      ),
      says(
        'For the first storage provider part_size is 16777216 bytes',
        inUploadPrepare('five gibibytes are 320 parts of 16 MiB with an URL each'),
        multipart,
      ),
    ],
  },
  {
    title: 'Byte transfer (to the storage target)',
    statements: [
      says(
        'Single: PUT the file to upload.url with upload.method and the returned upload.headers',
        single,
        inUploadTransfer('a single PUT is stored whole and answers with the quoted MD5 as ETag'),
      ),
      says(
        'Multipart: PUT each byte range to its parts[].url',
        completes,
        inUploadMultipart('parts arrive in any order, in parallel and again, and become one object'),
      ),
      says(
        'The ETag response header of each part is kept unchanged for completion',
        completes,
        inUploadMultipart('ETags count with and without their quotes'),
      ),
      says(
        'The API key is never sent to a storage URL',
        inUploadFaults('refuses a request that carries an Authorization header'),
      ),
    ],
  },
  {
    title: 'POST /api/v1/uploads/multipart (complete)',
    statements: [
      says('Success is 200 with data.key and data.storage', completes),
      says(
        'key is required: the owned object key from prepare',
        badParts,
        inUploadMultipart(
          'an unknown, foreign or mismatched key, storage or upload id is refused before the parts',
        ),
      ),
      says('storage is required: the storage value from prepare', badParts),
      says('upload_id is required: from prepare', badParts),
      says('parts is required: one object per part', badParts, everyPartRight),
      says('parts are in part-number order', everyPartRight),
      says('parts[].etag is required: the ETag of that part upload, unmodified', badParts),
      says('parts[].part_number is required and positive', badParts),
    ],
  },
  {
    title: 'DELETE /api/v1/uploads/multipart (abort)',
    statements: [
      says('The JSON body has key, storage and upload_id, all required strings', badParts),
      says('Success is 204 without a body', multipart, aborts),
      says('It gives up an upload whose parts the client cannot finish', aborts),
    ],
  },
];
