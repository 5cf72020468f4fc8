import type { Authenticator } from '../account/authenticate.ts';
import type { RateLimiter } from '../account/rate-limit.ts';
import { principalOf, requireApiKey } from '../http/authentication.ts';
import type { PublicUrl } from '../http/public-url.ts';
import type { Server } from '../http/server.ts';
import type { Agent, AgentDeps } from './agent.ts';
import { createAgentServer } from './agent-server.ts';
import { agentSurface } from './agent-surface.ts';
import type { AllowedSenders } from './foreign-senders.ts';
import { registerMcp } from './mcp-endpoint.ts';

export interface McpRoutesDeps {
  agent: AgentDeps;
  authenticator: Authenticator;
  limiter: RateLimiter;
  publicUrl: PublicUrl;
  hasWebProduct: boolean;
  senders: AllowedSenders;
}

/** MCP over HTTP: a key as for the REST API, then the tools in its account's name. */
export function mcpRoutes(server: Server, deps: McpRoutesDeps): void {
  const { agent, senders, publicUrl, hasWebProduct } = deps;
  server.addHook('preClose', async () => agent.waits.close());
  registerMcp(server, {
    logger: agent.logger,
    senders,
    guard: (scope) => requireApiKey(scope, deps.authenticator, deps.limiter, { protocol: 'mcp' }),
    identify: (request) => {
      const serviceUrl = publicUrl.forHost(request.headers.host);
      const webUrl = hasWebProduct ? serviceUrl : undefined;
      return { agent: { principal: principalOf(request), serviceUrl, webUrl } satisfies Agent };
    },
    factory: ({ authInfo }) => createAgentServer(agentSurface(agent, agentIn(authInfo?.extra))),
  });
}

function agentIn(extra: Record<string, unknown> | undefined): Agent {
  if (!extra?.agent) throw new Error('a request reached the agents’ server without a principal');
  return extra.agent as Agent;
}
