/** What answers look like, for the API document and the page made from it. */

const jobId = '6f1e3c52-8a2b-4c5d-9e0f-1a2b3c4d5e6f';
const eventId = '0d4c5a3e-6a0b-4d6c-9a52-0f6c0f3f7c11';
const subscriptionId = 'c0a8f3d4-2b6e-4f17-8d90-5e4b7a6c1f22';
const createdAt = '2026-11-15T09:30:00.000Z';
const service = 'https://longhand.example.com';

const exampleKey = 'uploads/2b7d1c90-4e5f-4a6b-8c7d-9e0f1a2b3c4d/5f6e7d8c';
const exampleEtag = '"9b2cf535f27731c974343645a3985328"';
const partBytes = 16_777_216;

const job = { id: jobId, filename: 'meeting.mp3', status: 'processing', created_at: createdAt };
const segments = [
  { start: 0.42, end: 3.18, text: 'Good morning, everyone.', speaker: 0 },
  { start: 3.64, end: 6.91, text: 'Thank you for coming so early.', speaker: 0 },
];
const text = 'Good morning, everyone. Thank you for coming so early.';
const subscription = {
  id: subscriptionId,
  events: ['transcription.completed', 'transcription.failed'],
  status: 'active',
  created_at: createdAt,
  disabled_at: null,
};

export const exampleAnswers = {
  createdTranscription: job,
  transcription: { ...job, status: 'completed', duration_seconds: 6.912, text, segments, error: null },
  transcriptionListItem: {
    ...job,
    status: 'completed',
    duration_seconds: 7,
    text: null,
    segments: null,
    error: null,
  },
  progress: {
    status: 'processing',
    stage: 'recognising',
    percent: 42,
    audio_seconds_done: 1450,
    audio_seconds_total: 3600,
    seconds_left: 95,
  },
  textPart: { sequence: 2, text, segments },
  uploadTarget: {
    key: exampleKey,
    storage: 'local',
    content_type: 'audio/mpeg',
    upload: {
      type: 'single',
      url: `${service}/objects/${exampleKey}?signature=4f1d`,
      method: 'PUT',
      headers: { 'Content-Type': 'audio/mpeg' },
    },
  },
  completedUpload: { key: exampleKey, storage: 'local' },
  multipartState: {
    size: 2 * partBytes,
    part_size: partBytes,
    uploaded: [{ part_number: 1, etag: exampleEtag, size: partBytes }],
    missing: [{ part_number: 2, url: `${service}/objects/${exampleKey}?partNumber=2&signature=8c3e` }],
  },
  createdSubscription: {
    ...subscription,
    url: 'https://example.com/hooks/longhand',
    signing_secret: 'whsec_bG9uZ2hhbmQtZXhhbXBsZS1zaWduaW5nLXNlY3JldCE=',
  },
  listedSubscription: { ...subscription, url: 'https://example.com…' },
  webhookEvent: {
    id: eventId,
    type: 'transcription.completed',
    created_at: '2026-11-15T09:30:41.000Z',
    data: {
      id: jobId,
      filename: 'meeting.mp3',
      status: 'completed',
      duration_seconds: 7,
      resource_url: `${service}/api/v1/transcriptions/${jobId}`,
    },
  },
};
