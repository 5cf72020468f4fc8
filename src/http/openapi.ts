/** What the OpenAPI document says besides the operations themselves. */
export const openApiInfo = {
  openapi: '3.1.0' as const,
  info: {
    title: 'Longhand',
    version: 'v1',
    description: 'Turns audio and video into text through asynchronous jobs.',
  },
  servers: [{ url: '/' }],
  components: { securitySchemes: { apiKey: { type: 'http' as const, scheme: 'bearer' } } },
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
          'Sent to each active subscription that chose the type, at least once, signed in the Standard Webhooks format.',
        tags: ['Webhooks'],
        parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
          name,
          in: 'header' as const,
          required: true,
          schema: { type: 'string' as const },
        })),
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/WebhookEvent' } } },
        },
        responses: {
          '2XX': { description: 'Received' },
          '410': { description: 'Gone: the subscription is disabled' },
          default: { description: 'A failure that is tried again' },
        },
      },
    },
  },
};

/** Each named schema comes in a form for requests and one for answers; only those that are used are kept. */
export function withoutUnusedSchemas<Document extends object>(document: Document): Document {
  const { components } = document as { components?: { schemas?: Record<string, unknown> } };
  const schemas = components?.schemas ?? {};
  for (const name of Object.keys(schemas)) {
    const isUsed = JSON.stringify(document).includes(`"#/components/schemas/${name}"`);
    if (!isUsed) delete schemas[name];
  }
  return document;
}
