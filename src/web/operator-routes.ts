/** What the operator of the service sees and does: work, workers, disk, failures, accounts. Nothing of what was said. */
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { AccountStore } from '../account/account-store.ts';
import { createSignInLink, signInLinkMs } from '../account/create-sign-in-link.ts';
import type { PlanTable } from '../account/plan.ts';
import { operatorFor } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import { pathId } from '../contract/path-id.ts';
import {
  accountBody,
  accountOnWire,
  overviewOnWire,
  planBody,
  signInLinkOnWire,
} from '../contract/web/operator.ts';
import { principalOf } from '../http/authentication.ts';
import type { PublicUrl } from '../http/public-url.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { DiskBudget } from '../platform/disk/disk-budget.ts';
import { jobLogStore } from '../transcription/library/job-log-store.ts';
import { operatorStore } from '../transcription/library/operator-store.ts';

export interface OperatorRoutesDeps {
  db: Database;
  clock: Clock;
  accounts: AccountStore;
  plans: PlanTable;
  disk: DiskBudget;
  publicUrl: PublicUrl;
}

const failuresShown = 20;
const workersShown = 200;

/** Registered behind `requireSession`, on an instance of its own. */
export function operatorRoutes(instance: FastifyInstance, deps: OperatorRoutesDeps): void {
  instance.addHook('preHandler', async (request) => {
    if (!principalOf(request).account.isOperator) throw new ApiError('operator_required');
  });
  instance.route({
    method: 'GET',
    url: '/web/operator',
    schema: { hide: true },
    handler: async () => ({ data: await overview(deps) }),
  });
  accountRoutes(instance, deps);
}

async function overview({ db, accounts, plans, disk }: OperatorRoutesDeps) {
  const [workload, workers, failures, all, jobCounts, space] = await Promise.all([
    operatorStore.workload(db),
    operatorStore.workers(db, workersShown),
    jobLogStore.list(db, { status: 'failed', accountId: undefined, limit: failuresShown }),
    accounts.list(db),
    operatorStore.jobCounts(db),
    disk.space(),
  ]);
  return overviewOnWire({
    workload,
    workers,
    disk: space,
    failures,
    plans: [...plans.keys()],
    accounts: all,
    jobCounts,
  });
}

function accountRoutes(instance: FastifyInstance, deps: OperatorRoutesDeps): void {
  const { db, clock, accounts, plans, publicUrl } = deps;
  const web = instance.withTypeProvider<ZodTypeProvider>();
  const known = (plan: string) => {
    if (!plans.has(plan)) throw new ApiError('invalid_web_request');
    return plan;
  };
  const existing = async (id: string) => {
    const account = await accounts.find(db, id);
    if (!account) throw new ApiError('not_found');
    return account;
  };
  web.route({
    method: 'POST',
    url: '/web/operator/accounts',
    schema: { hide: true, body: accountBody },
    handler: async (request, reply) => {
      const { name, plan } = request.body;
      const account = await accounts.create(db, { name, plan: known(plan) });
      return reply.code(201).send({ data: accountOnWire(account) });
    },
  });
  web.route({
    method: 'PATCH',
    url: '/web/operator/accounts/:id',
    schema: { hide: true, params: pathId, body: planBody },
    handler: async (request) => {
      const { id } = await existing(request.params.id);
      return { data: accountOnWire(await accounts.setPlan(db, id, known(request.body.plan))) };
    },
  });
  web.route({
    method: 'POST',
    url: '/web/operator/accounts/:id/signin',
    schema: { hide: true, params: pathId },
    handler: async (request, reply) => {
      const principal = principalOf(request);
      const account = await existing(request.params.id);
      const link = await createSignInLink({ db, clock }, operatorFor(account, principal), {
        validMs: signInLinkMs,
      });
      const url = publicUrl.forHost(request.headers.host) + link.path;
      request.log.info({ account: account.id, by: principal.account.id }, 'a sign-in link was made');
      return reply.code(201).send({ data: signInLinkOnWire({ url, expiresAt: link.expiresAt }) });
    },
  });
}
