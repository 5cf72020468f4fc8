import { z } from 'zod';
import {
  createdSubscription,
  createdSubscriptionOnWire,
  createSubscriptionCommand,
  eventTypes,
  listedSubscription,
  listedSubscriptionOnWire,
  receiverUrlCharactersMax,
} from '../../contract/webhook.ts';
import { createSubscription } from '../../webhook/create-subscription.ts';
import { deleteSubscription } from '../../webhook/delete-subscription.ts';
import { subscriptionStore } from '../../webhook/subscription-store.ts';
import type { Agent, AgentDeps } from '../agent.ts';
import { type Tool, tool } from '../tool.ts';

const creation = z.object({
  url: z.string().max(receiverUrlCharactersMax).describe('Public https receiver on port 443'),
  events: z
    .array(z.enum(eventTypes))
    .max(10)
    .default([...eventTypes]),
});
const nothing = z.object({});
const list = z.object({ webhooks: z.array(listedSubscription) });
const named = z.object({ id: z.string().max(100).describe('Id of the webhook') });
const deleted = z.object({ id: z.string(), deleted: z.literal(true) });

export function webhookTools(deps: AgentDeps, agent: Agent): Tool[] {
  return [createWebhook(deps, agent), listWebhooks(deps, agent), deleteWebhook(deps, agent)];
}

function createWebhook({ webhooks }: AgentDeps, agent: Agent): Tool {
  return tool({
    name: 'create_webhook',
    title: 'Create a webhook',
    description: `Have every end of a transcription of this account sent to a public https address, signed. The answer holds the signing secret, which is never shown again: give it to the user. Costs nothing of the allowance.
Example: {"url": "https://example.com/hooks/longhand", "events": ["transcription.completed"]}`,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    input: creation,
    output: createdSubscription,
    async run({ args }) {
      const command = createSubscriptionCommand(args);
      const { subscription, signingSecret } = await createSubscription(webhooks, agent.principal, command);
      const created = createdSubscriptionOnWire(subscription, signingSecret);
      const text = `Webhook ${created.id} is active. Its signing secret is ${created.signing_secret}; it is not shown again.`;
      return { content: [{ type: 'text', text }], structuredContent: created };
    },
  });
}

function listWebhooks({ db }: AgentDeps, agent: Agent): Tool {
  return tool({
    name: 'list_webhooks',
    title: 'List webhooks',
    description:
      'Every webhook of this account with its id, events and status; of the address only the origin. Costs nothing of the allowance. Example: {}',
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: nothing,
    output: list,
    async run() {
      const found = await subscriptionStore.list(db, agent.principal.account.id);
      const webhooks = found.map(listedSubscriptionOnWire);
      const lines = webhooks.map(
        ({ id, url, status, events }) => `${id} ${status} ${events.join(', ')} ${url}`,
      );
      const text = lines.length === 0 ? 'This account has no webhooks.' : lines.join('\n');
      return { content: [{ type: 'text', text }], structuredContent: { webhooks } };
    },
  });
}

function deleteWebhook({ webhooks }: AgentDeps, agent: Agent): Tool {
  return tool({
    name: 'delete_webhook',
    title: 'Delete a webhook',
    description:
      'Stop deliveries to a webhook of this account for good. Costs nothing of the allowance. Example: {"id": "1c2f6a52-8a0c-4f53-9a70-9a3b5d0f3a55"}',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    input: named,
    output: deleted,
    async run({ args: { id } }) {
      await deleteSubscription(webhooks, agent.principal, id);
      const answer: z.infer<typeof deleted> = { id, deleted: true };
      return {
        content: [{ type: 'text', text: `The webhook ${id} is deleted.` }],
        structuredContent: answer,
      };
    },
  });
}
