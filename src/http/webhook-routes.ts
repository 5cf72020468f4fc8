import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { dataOf, errorAnswers, protectedErrors } from '../contract/envelope.ts';
import { pathId } from '../contract/path-id.ts';
import {
  createdSubscription,
  createdSubscriptionOnWire,
  createSubscriptionBody,
  createSubscriptionCommand,
  createSubscriptionErrors,
  deleteSubscriptionErrors,
  listedSubscription,
  listedSubscriptionOnWire,
} from '../contract/webhook.ts';
import { type CreateSubscriptionDeps, createSubscription } from '../webhook/create-subscription.ts';
import { type DeleteSubscriptionDeps, deleteSubscription } from '../webhook/delete-subscription.ts';
import { subscriptionStore } from '../webhook/subscription-store.ts';
import { principalOf } from './authentication.ts';

const path = '/api/v1/webhook-subscriptions';

export type WebhookRoutesDeps = CreateSubscriptionDeps & DeleteSubscriptionDeps;

/** Registered on an instance behind `requireApiKey`. */
export function webhookRoutes(instance: FastifyInstance, deps: WebhookRoutesDeps): void {
  const api = instance.withTypeProvider<ZodTypeProvider>();

  api.route({
    method: 'POST',
    url: path,
    schema: {
      operationId: 'createWebhookSubscription',
      summary: 'Subscribe to the end of jobs',
      description: 'The signing secret is in this answer and never again.',
      tags: ['Webhooks'],
      body: createSubscriptionBody,
      response: {
        201: dataOf(createdSubscription, 'Active from now on; keep the signing_secret'),
        ...errorAnswers(createSubscriptionErrors),
      },
    },
    handler: async (request, reply) => {
      const command = createSubscriptionCommand(request.body);
      const { subscription, signingSecret } = await createSubscription(deps, principalOf(request), command);
      reply.code(201).header('location', `${path}/${subscription.id}`);
      return { data: createdSubscriptionOnWire(subscription, signingSecret) };
    },
  });

  api.route({
    method: 'GET',
    url: path,
    schema: {
      operationId: 'listWebhookSubscriptions',
      summary: 'All subscriptions, newest first',
      tags: ['Webhooks'],
      response: {
        200: dataOf(z.array(listedSubscription), 'Every subscription of the account'),
        ...errorAnswers(protectedErrors),
      },
    },
    handler: async (request) => {
      const subscriptions = await subscriptionStore.list(deps.db, principalOf(request).account.id);
      return { data: subscriptions.map(listedSubscriptionOnWire) };
    },
  });

  api.route({
    method: 'DELETE',
    url: `${path}/:id`,
    schema: {
      operationId: 'deleteWebhookSubscription',
      summary: 'Stop deliveries to a receiver',
      tags: ['Webhooks'],
      params: pathId,
      response: {
        204: z.null().describe('Deleted; no new attempt begins'),
        ...errorAnswers(deleteSubscriptionErrors),
      },
    },
    handler: async (request, reply) => {
      await deleteSubscription(deps, principalOf(request), request.params.id);
      return reply.code(204).send(null);
    },
  });
}
