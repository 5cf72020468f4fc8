/** What the OpenAPI document says besides the operations themselves. */
export const openApiInfo = {
  openapi: '3.1.0' as const,
  info: {
    title: 'Longhand',
    version: 'v1',
    summary: 'Turns audio and video into text through asynchronous jobs.',
    description: `Send a link, or prepare an upload and PUT the file. Then create a transcription, and poll it or be told by a webhook.

Every success has \`data\` at its top, every error \`{ "error": { "code", "message" } }\`: branch on \`code\`, show \`message\` to a person. Every answer has the header \`x-request-id\`.

Version 1 only grows: new fields, codes and operations may appear at any time, so ignore what you do not know. A removal is announced twelve months ahead by the headers \`Deprecation\` and \`Sunset\`.`,
    license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The service that serves this document' }],
  components: {
    securitySchemes: {
      apiKey: {
        type: 'http' as const,
        scheme: 'bearer',
        description: 'An API key. It belongs on servers only, and is never sent to an upload URL.',
      },
    },
  },
  // Every operation but discovery, which says so itself.
  security: [{ apiKey: [] }],
  tags: [
    { name: 'Transcriptions', description: 'Create jobs and fetch their results.' },
    { name: 'Uploads', description: 'Send files straight to storage.' },
    { name: 'Webhooks', description: 'Be told when a job ends.' },
    { name: 'Service', description: 'What runs here.' },
  ],
  /** What we send to subscribed receivers; docs/webhooks.md says how to verify it. */
  webhooks: {
    transcriptionEnded: {
      post: {
        operationId: 'transcriptionEnded',
        security: [],
        summary: 'A job has ended',
        description:
          'Sent to each active subscription that chose the type, at least once, signed in the Standard Webhooks format. Reject a signature that does not match, a timestamp more than 300 seconds away, and a type that does not match the status.',
        parameters: [
          webhookHeader('webhook-id', 'The id of the event, the same at every attempt'),
          webhookHeader('webhook-timestamp', 'Unix time of this attempt in seconds'),
          webhookHeader(
            'webhook-signature',
            'v1, and the base64 HMAC-SHA256 of "webhook-id.webhook-timestamp.body"',
          ),
        ],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/WebhookEvent' } } },
        },
        responses: {
          '2XX': { description: 'Received' },
          '410': {
            description: 'Gone: the subscription is disabled and its queued deliveries are cancelled',
          },
          default: { description: 'A failure; tried again, seven attempts in all' },
        },
      },
    },
  },
};

function webhookHeader(name: string, description: string) {
  return { name, in: 'header' as const, required: true, description, schema: { type: 'string' as const } };
}
