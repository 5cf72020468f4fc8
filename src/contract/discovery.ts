import { z } from 'zod';

export const discovery = z.object({
  name: z.string(),
  version: z.literal('v1'),
  documentation_url: z.url(),
  openapi_url: z.url(),
  mcp_url: z.url().optional().describe('Where agents connect; only while that is switched on'),
});

/** `serviceUrl`: where the caller reaches the service. */
export function discoveryOnWire(
  serviceUrl: string,
  { hasMcp }: { hasMcp: boolean },
): z.infer<typeof discovery> {
  return {
    name: 'longhand',
    version: 'v1',
    documentation_url: `${serviceUrl}/docs`,
    openapi_url: `${serviceUrl}/api/v1/openapi.json`,
    ...(hasMcp ? { mcp_url: `${serviceUrl}/mcp` } : {}),
  };
}
