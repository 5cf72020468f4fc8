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
  tags: [
    { name: 'Transcriptions', description: 'Create jobs and fetch their results.' },
    { name: 'Uploads', description: 'Send files straight to storage.' },
    { name: 'Webhooks', description: 'Be told when a job ends.' },
    { name: 'Service', description: 'What runs here.' },
  ],
};

/** The part of a route's schema that all protected operations share. */
export const protectedOperation = { security: [{ apiKey: [] }] };
