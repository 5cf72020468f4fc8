/** Keys, webhook deliveries and usage: what a developer looks after. Subscriptions themselves are the API's. */
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Allowance } from '../account/allowance.ts';
import { type ApiKey, apiKeyStore } from '../account/api-key-store.ts';
import { createApiKey } from '../account/create-api-key.ts';
import { isActiveKey } from '../account/is-active-key.ts';
import { revokeApiKey } from '../account/revoke-api-key.ts';
import { pathId } from '../contract/path-id.ts';
import { apiKeyOnWire, createApiKeyCommand, keyBody } from '../contract/web/api-key.ts';
import { deliveriesQuery, deliveryOnWire, testEventOnWire } from '../contract/web/webhook-delivery.ts';
import { principalOf } from '../http/authentication.ts';
import type { PublicUrl } from '../http/public-url.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { listDeliveries } from '../webhook/list-deliveries.ts';
import { replayDelivery } from '../webhook/replay-delivery.ts';
import { sendTestEvent } from '../webhook/send-test-event.ts';

export interface DeveloperRoutesDeps {
  db: Database;
  clock: Clock;
  allowance: Allowance;
  publicUrl: PublicUrl;
}

const deliveriesShown = 50;
const usageDays = 30;

/** Registered behind `requireSession`. */
export function developerRoutes(instance: FastifyInstance, deps: DeveloperRoutesDeps): void {
  keyRoutes(instance, deps);
  deliveryRoutes(instance, deps);
  instance.route({
    method: 'GET',
    url: '/web/usage',
    schema: { hide: true },
    handler: async (request) => {
      const { account } = principalOf(request);
      const days = await deps.allowance.usedOn(deps.db, account.id, { days: usageDays });
      return { data: { today: deps.allowance.today(), days } };
    },
  });
}

function keyRoutes(instance: FastifyInstance, { db, clock }: DeveloperRoutesDeps): void {
  const web = instance.withTypeProvider<ZodTypeProvider>();
  const keyOnWire = (key: ApiKey) => apiKeyOnWire(key, { isActive: isActiveKey(key, clock.now()) });
  web.route({
    method: 'GET',
    url: '/web/keys',
    schema: { hide: true },
    handler: async (request) => {
      const keys = await apiKeyStore.list(db, principalOf(request).account.id);
      return { data: keys.toReversed().map(keyOnWire) };
    },
  });
  web.route({
    method: 'POST',
    url: '/web/keys',
    schema: { hide: true, body: keyBody },
    handler: async (request, reply) => {
      const command = createApiKeyCommand(request.body);
      const { key, ...created } = await createApiKey({ db, clock }, principalOf(request), command);
      return reply.code(201).send({ data: { ...keyOnWire(created), key } });
    },
  });
  web.route({
    method: 'DELETE',
    url: '/web/keys/:id',
    schema: { hide: true, params: pathId },
    handler: async (request, reply) => {
      await revokeApiKey({ db }, principalOf(request), request.params.id);
      return reply.code(204).send();
    },
  });
}

function deliveryRoutes(instance: FastifyInstance, { db, publicUrl }: DeveloperRoutesDeps): void {
  const web = instance.withTypeProvider<ZodTypeProvider>();
  web.route({
    method: 'GET',
    url: '/web/webhook-deliveries',
    schema: { hide: true, querystring: deliveriesQuery },
    handler: async (request) => {
      const { subscription: subscriptionId } = request.query;
      const wanted = { subscriptionId, limit: deliveriesShown };
      const deliveries = await listDeliveries({ db }, principalOf(request), wanted);
      return { data: deliveries.map(deliveryOnWire) };
    },
  });
  web.route({
    method: 'POST',
    url: '/web/webhook-deliveries/:delivery/replay',
    schema: { hide: true },
    handler: async (request, reply) => {
      const { delivery: deliveryId } = request.params as { delivery: string };
      await replayDelivery({ db }, principalOf(request), deliveryId);
      return reply.code(204).send();
    },
  });
  web.route({
    method: 'POST',
    url: '/web/webhook-subscriptions/:id/test',
    schema: { hide: true, params: pathId },
    handler: async (request, reply) => {
      const sent = await sendTestEvent(
        { db, publicUrl: publicUrl.base },
        principalOf(request),
        request.params.id,
      );
      return reply.code(202).send({ data: testEventOnWire(sent) });
    },
  });
}
