/** What the specification says, beside the tests that prove it: the data of docs/conformance.md. */

/** A test by its file and name; an expression inside the name is written as an ellipsis. */
export interface Proof {
  file: string;
  test: string;
}

export interface Statement {
  says: string;
  proofs: readonly Proof[];
  /** Why no test proves it. */
  reason?: string;
}

export interface Section {
  /** The heading of the specification. */
  title: string;
  statements: readonly Statement[];
}

export function says(text: string, ...proofs: [Proof, ...Proof[]]): Statement {
  return { says: text, proofs };
}

export function unproved(text: string, reason: string): Statement {
  return { says: text, proofs: [], reason };
}

function testsIn(file: string): (test: string) => Proof {
  return (test) => ({ file, test });
}

export const inSpecification = testsIn('test/acceptance/specification.test.ts');
export const inSpecificationWebhook = testsIn('test/acceptance/specification-webhook.test.ts');
export const inProtocol = testsIn('test/acceptance/protocol.test.ts');
export const inRules = testsIn('test/acceptance/request-rules.test.ts');
export const inTranscription = testsIn('test/acceptance/transcription.test.ts');
export const inSourceUrl = testsIn('test/acceptance/source-url.test.ts');
export const inSpeakers = testsIn('test/acceptance/speakers.test.ts');
export const inUpload = testsIn('test/acceptance/upload.test.ts');
export const inWebhook = testsIn('test/acceptance/webhook.test.ts');
export const inRestart = testsIn('test/acceptance/restart.test.ts');
export const inStorageDown = testsIn('test/acceptance/storage-down.test.ts');
export const inOpenApi = testsIn('test/acceptance/openapi.test.ts');
export const inFuzz = testsIn('test/acceptance/document-fuzz.test.ts');
export const inUploadPrepare = testsIn('test/integration/upload-prepare.test.ts');
export const inUploadTransfer = testsIn('test/integration/upload-transfer.test.ts');
export const inUploadMultipart = testsIn('test/integration/upload-multipart.test.ts');
export const inUploadVerify = testsIn('test/integration/upload-verify.test.ts');
export const inUploadFaults = testsIn('test/integration/upload-faults.test.ts');
export const inWebhookSubscription = testsIn('test/integration/webhook-subscription.test.ts');
export const inWebhookDelivery = testsIn('test/integration/webhook-delivery.test.ts');
export const inWebhookFaults = testsIn('test/integration/webhook-faults.test.ts');
export const inWebhookReceiverUrl = testsIn('test/integration/webhook-receiver-url.test.ts');
export const inWebhookDocs = testsIn('test/integration/webhook-docs.test.ts');
export const inMediaSources = testsIn('test/integration/media-sources.test.ts');
export const inSourceShapes = testsIn('src/media/source-shapes.test.ts');
export const inPageFailure = testsIn('src/media/page/page-failure.test.ts');
export const inAcceptedMedia = testsIn('src/media/accepted-media.test.ts');
export const inQueueUnavailable = testsIn('test/integration/queue-unavailable.test.ts');
export const inErrorTable = testsIn('src/contract/request-faults.test.ts');
export const inSignature = testsIn('src/webhook/signature.test.ts');
export const inAllowance = testsIn('src/account/allowance.test.ts');
export const inCommandWorker = testsIn('test/integration/command-worker.test.ts');
export const inRetrySchedule = testsIn('src/webhook/retry-schedule.test.ts');
export const inApiKey = testsIn('src/account/api-key.test.ts');
export const inRateLimit = testsIn('src/account/rate-limit.test.ts');
